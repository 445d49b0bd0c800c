//! # The agent sends one request at a time
//!
//! ## What it requires
//! The agent sends the next message only after the module answered the last one.
//!
//! ## Why
//! Each request has exactly one response, and only the order shows which one. A module need
//! not read ahead.
//!
//! ## How it is judged
//! - Judged: each message that follows another to the same process. At least a part of the
//!   answer must be there before it.
//! - Not judged: messages after one that the agent gave up, and after a broken answer, whose rest
//!   the agent may take for the next answer (AG114).
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", …}
//! → {"operation": "evaluate_promise", …}
//! ← {"operation": "validate_promise", …, "result": "valid"}
//! ```
//!
//! ## How to fix
//! Write a request, read the answer up to its empty line, then write the next. To work in
//! parallel, start several processes of the module.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header" (one response for each request).

use super::view;
use crate::phase;
use crate::session::Ended;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for process in view::processes(session) {
        let all: Vec<_> = view::exchanges(session, process).collect();
        for pair in all.windows(2) {
            let (last, next) = (pair[0], pair[1]);
            if !last.owed
                || !matches!(last.ended, Ended::Answered | Ended::NoAnswer)
                || !view::was_clean(&all, last.number)
                // What comes behind a message is the next answer to some agents.
                || last.message.is_some() && !view::is_clean(last) && last.phase != phase::HEADER
                || !view::is_header_alone(&all)
            {
                continue;
            }
            let begun = last.pieces.first().is_some_and(|(t, _)| *t <= next.sent_at);
            if begun {
                ledger.pass(next.number);
            } else {
                let also = ledger.place(last.number);
                let message = "sent before the previous message was answered";
                ledger.report(ledger.finding(next.number, message).also(also));
            }
        }
    }
}
