//! # `Validate` says the same each time
//!
//! ## What it requires
//! While the fields stay the same, each call of `Validate` has the same result, also after `Init`.
//!
//! ## Why
//! The engine calls `Validate` again after values were received, when the resource already runs.
//!
//! ## How it is judged
//! - Judged: two calls for one resource, between which no field was set and no value received; whether it fails, not the
//!   words of the error.
//!
//! ## Example
//! `Validate` uses `obj.init`, which is nil before `Init`.
//!
//! ## How to fix
//! Let it look at the public fields alone.
//!
//! ## Source
//! mgmt resource guide, "Validate".

use crate::phase;
use crate::relation;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Relation};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[relation::RESOURCES, Relation::INVALID],
    check,
)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::VALIDATE) {
        if super::never_returns(call, ledger, "`Validate` does not return") {
            continue;
        }
        if let Some(panic) = call.panic().or_else(|| super::host_ended(call)) {
            let message = format!("`Validate` ends in a {panic}");
            ledger.check(call.number, call.provenance, Some(message));
            continue;
        }
        let before = session
            .exchanges
            .iter()
            .take_while(|one| one.number < call.number);
        let own =
            before.filter(|one| one.process == call.process && one.resource() == call.resource());
        let since_set = own.fold(None, |known, one| match one.phase {
            phase::NEW | phase::SET | phase::COPY | phase::ROUND | phase::RECEIVE => None,
            phase::VALIDATE if one.returns() => known.or(Some(one)),
            _ => known,
        });
        let Some(first) = since_set.filter(|_| call.returns()) else {
            continue;
        };
        let broken = match (first.error(), call.error()) {
            (None, Some(error)) => Some(format!("it passed before, and fails now: {error}")),
            (Some(error), None) => Some(format!("it failed before, and passes now: {error}")),
            _ => None,
        };
        ledger.check_against(first.number, call.number, call.provenance, broken);
    }
}
