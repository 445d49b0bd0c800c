//! # `:is` may be nil or missing
//!
//! ## What it requires
//! `set` copes with changes whose `:is` is nil or missing.
//!
//! ## Why
//! A runtime that has not called `get` knows no state.
//!
//! ## How it is judged
//! - Judged: a change without `:is` of an example whose usual change succeeds.
//!
//! ## Example
//! `change[:is][:ensure]` raises where `:is` is missing.
//!
//! ## How to fix
//! Ask for the state yourself if you need it: `is = change.key?(:is) ? change[:is] : find(name)`.
//!
//! ## Source
//! Resource API specification, "Resource implementation". SimpleProvider of 1.8.16 copes only if the
//! namevar is called `name`.

use crate::after::afters;
use crate::phase;
use crate::reads::READS;
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::SET) {
        if !lacks_is(call) {
            continue;
        }
        if answer.failure().is_some_and(|failure| failure.in_library) {
            ledger.skip("SimpleProvider of puppet-resource_api 1.8.16 needs `:is` here");
            continue;
        }
        let broken = match answer.failure() {
            Some(failure) => Some(format!("without `:is` it raised {}", failure.in_words())),
            None if call.marks_failure() => Some("without `:is` it failed".to_owned()),
            None => afters(session)
                .into_iter()
                .find(|after| after.set.number == call.number)
                .and_then(|after| Some(format!("without `:is`: {}", after.wrong?.message))),
        };
        ledger.check(call.number, call.provenance, broken);
    }
}

fn lacks_is(call: &Call) -> bool {
    let Some(Value::Array(changes)) = call.param("changes") else {
        return false;
    };
    let lacks = |change: &Value| {
        let change = change.as_array().and_then(|pair| pair.get(1));
        change.is_some_and(|change| change.get("is").is_none() && change.get("should").is_some())
    };
    changes.iter().any(lacks)
}
