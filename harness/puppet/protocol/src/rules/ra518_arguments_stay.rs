//! # Arguments are not modified
//!
//! ## What it requires
//! A provider does not modify the changes, names and resources that it receives. Only
//! `canonicalize` may modify its argument.
//!
//! ## Why
//! The runtime uses them afterwards, for its report.
//!
//! ## How it is judged
//! - Judged: each call of `get` and `set` (`insync?`: RA403), if the host reports the arguments
//!   afterwards; also of resources with parameters that no example gives.
//!
//! ## Example
//! `change[:should].delete(:force)` in `set`.
//!
//! ## How to fix
//! Work on a copy: `should = change[:should].dup`.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize", on copies; good practice
//! elsewhere.

use crate::message::Answer;
use crate::phase;
use crate::reads::READS;
use crate::relation;
use crate::session::{Call, Session};
use stickler_judge::{Check, Group, Ledger, RunPlace};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(READS, check),
    Check::Group(&[relation::PARAMETERS], with_parameters),
];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, broken) in modified(session) {
        ledger.check(call.number, call.provenance, broken);
    }
}

/// Resources with parameters that no example gives.
fn with_parameters(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (role, index, session) in group.variants() {
        for (call, broken) in modified(session).filter(|_| !role.is_reference()) {
            ledger.check_at(RunPlace::at(index, call.number), call.provenance, broken);
        }
    }
}

/// The calls that returned, and which of their arguments they modified.
fn modified(session: &Session) -> impl Iterator<Item = (&Call, Option<String>)> {
    let calls = [phase::GET, phase::SET].into_iter();
    let calls = calls.flat_map(|phase| session.calls(phase));
    calls.filter_map(|(call, answer)| {
        let Answer::Result(result) = answer else {
            return None;
        };
        let after = ["names", "changes"]
            .into_iter()
            .find(|name| result.get(&format!("{name}_after")).is_some());
        let broken =
            after.map(|name| format!("`{}` modified the {name} that it was handed", call.phase));
        Some((call, broken))
    })
}
