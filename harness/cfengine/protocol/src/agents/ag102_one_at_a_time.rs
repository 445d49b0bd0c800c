//! # One request at a time
//!
//! ## What it requires
//! The next message is sent when the last was answered.
//!
//! ## Why
//! There is exactly one response for each request, and nothing but their order
//! ties them together. A module need not read ahead.
//!
//! ## How it is judged
//! On each message that follows another to the same process: something of the answer
//! has to be there before. Messages after one that was given up are not judged.
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", …}
//! → {"operation": "evaluate_promise", …}
//! ← {"operation": "validate_promise", …, "result": "valid"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header" (one response for each request).

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use crate::session::Ended;

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for process in view::processes(session) {
        let all: Vec<_> = view::exchanges(session, process).collect();
        for pair in all.windows(2) {
            let (last, next) = (pair[0], pair[1]);
            if !last.owed || !matches!(last.ended, Ended::Answered | Ended::NoAnswer) {
                continue;
            }
            let begun = last.pieces.first().is_some_and(|(t, _)| *t <= next.sent_at);
            if begun {
                ledger.pass(next.number);
            } else {
                let also = ledger.place(last.number);
                let message = "sent before the message before it was answered";
                ledger.report(ledger.finding(next.number, message).also(also));
            }
        }
    }
}
