//! # What never resolves ends not kept, what resolves late has its real outcome alone
//!
//! ## What it requires
//! A promise with a variable that has no value in any pass ends not kept, with an
//! error. One that resolves in a later pass has the outcome of its evaluation, and
//! no other.
//!
//! ## Why
//! Classes that say "failed" and "kept" of one promise set off what both ask for.
//!
//! ## How it is judged
//! Where the agent keeps the record itself: on each promise that was unresolved in a
//! pass.
//!
//! ## Example
//! cf-agent 3.21.0 sets `repair_failed` in the first pass already; when the promise
//! resolves in the second, `promise_kept` is set too.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use std::collections::BTreeMap;
use stickler_transcript::{Fate, Outcome};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let mut promises: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in view::outcomes(session) {
        promises.entry(&outcome.place).or_default().push(outcome);
    }
    for outcomes in promises.values().filter(|all| all.iter().any(|one| one.unresolved)) {
        let promiser = crate::words::visible(&outcomes[0].identity);
        // A bundle may be called again, and all begins anew.
        let first = outcomes.iter().filter(|one| one.unresolved).map(|one| one.turn).min();
        let later = |one: &&&Outcome| !one.unresolved && Some(one.turn) > first;
        let wrong = match outcomes.iter().find(later) {
            Some(real) if real.outcome == Fate::Failed => None,
            Some(_) => Some("resolved later, and failed before"),
            None if outcomes.iter().any(|one| one.unresolved && one.outcome != Fate::Failed) => {
                Some("never resolved, and not failed")
            }
            None if outcomes.iter().all(|one| !one.unresolved || one.errors.is_empty()) => {
                Some("never resolved, and no error says so")
            }
            None => None,
        };
        match wrong {
            None => ledger.pass(None),
            Some(wrong) => {
                ledger.report(ledger.finding(None, format!("the promise `{promiser}` {wrong}")));
            }
        }
    }
}
