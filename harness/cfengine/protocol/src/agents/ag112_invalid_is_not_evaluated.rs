//! # What failed validation is not evaluated
//!
//! ## What it requires
//! A promise whose validation was answered with anything but `valid` is not
//! evaluated.
//!
//! ## Why
//! Modules look at a promise once, when they validate it.
//!
//! ## How it is judged
//! On each validation that was answered otherwise: no evaluation of the same promise
//! follows before another validation of it. Processes that answer more than they are
//! asked are not judged.
//!
//! ## Example
//! ```text
//! ← {"operation": "validate_promise", …, "result": "invalid"}
//! → {"operation": "evaluate_promise", …}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use crate::phase;
use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let failed = view::of(session, phase::VALIDATE)
        .filter(|one| view::is_usable(session, one.process))
        .filter(|one| one.response.is_some() && !one.is("valid"));
    for failed in failed {
        let next = session.exchanges.iter().find(|one| {
            one.number > failed.number
                && one.promise == failed.promise
                && matches!(one.phase, phase::VALIDATE | phase::EVALUATE)
        });
        match next.filter(|next| next.phase == phase::EVALUATE && !next.shifted) {
            None => ledger.pass(failed.number),
            Some(next) => {
                let also = ledger.place(failed.number);
                let message = "evaluated, though its validation failed";
                ledger.report(ledger.finding(next.number, message).also(also));
            }
        }
    }
}
