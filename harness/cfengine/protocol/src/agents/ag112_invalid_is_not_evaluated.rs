//! # The agent does not evaluate a promise that failed validation
//!
//! ## What it requires
//! If a validation is answered with another result than `valid`, the agent does not evaluate
//! the promise.
//!
//! ## Why
//! Modules check a promise once, when they validate it.
//!
//! ## How it is judged
//! - Judged: each validation with another result. No evaluation of the same promise may follow
//!   before another validation of it.
//! - Not judged: processes that send more answers than requests.
//!
//! ## Example
//! ```text
//! ← {"operation": "validate_promise", …, "result": "invalid"}
//! → {"operation": "evaluate_promise", …}
//! ```
//!
//! ## How to fix
//! Send the evaluation only after `valid`. After any other result, fail the promise with an
//! error, and go to the next one.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use super::view;
use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let failed = view::of(session, phase::VALIDATE)
        .filter(|one| view::is_usable(session, one.process))
        .filter(|one| one.response.is_some() && !one.is("valid"));
    for failed in failed {
        let next = session.exchanges.iter().find(|one| {
            one.number > failed.number
                && one.item == failed.item
                && matches!(one.phase, phase::VALIDATE | phase::EVALUATE)
        });
        match next.filter(|next| next.phase == phase::EVALUATE && !next.shifted) {
            None => ledger.pass(failed.number),
            Some(next) => {
                let also = ledger.place(failed.number);
                let message = "evaluated although its validation failed";
                ledger.report(ledger.finding(next.number, message).also(also));
            }
        }
    }
}
