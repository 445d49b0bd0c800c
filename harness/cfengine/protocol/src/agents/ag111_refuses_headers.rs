//! # A module with an unusable header is ended, with an error
//!
//! ## What it requires
//! A module that asks for a protocol version that the agent did not offer, for no
//! protocol or for two, is ended, and its promises fail with an error.
//!
//! ## Why
//! Agent and module would speak past each other.
//!
//! ## How it is judged
//! On each answer to the header that has fewer than four fields, another version than
//! the offered one or a lower, or not exactly one protocol: no request may follow.
//! Where the agent keeps the record itself, promises have to end not kept with an
//! error.
//!
//! ## Example
//! cf-agent 3.21.0 speaks with a module that answers `module 1.0 v2 json_based`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header".

use crate::phase;
use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::{Fate};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for process in view::processes(session) {
        let mut all = view::exchanges(session, process);
        let Some(header) = all.next().filter(|one| one.phase == phase::HEADER) else {
            continue;
        };
        if header.message.is_none() || view::is_usable(session, process) {
            continue;
        }
        if let Some(next) = all.next() {
            let also = ledger.place(header.number);
            let message = "sent to a module whose header is of no use";
            ledger.report(ledger.finding(next.number, message).also(also));
            continue;
        }
        let silent = view::outcomes(session).any(|outcome| {
            outcome.t >= header.sent_at
                && (outcome.outcome != Fate::Failed || outcome.errors.is_empty())
        });
        if silent {
            let message = "the header is of no use, and no error says so";
            ledger.report(ledger.finding(header.number, message));
        } else {
            ledger.pass(header.number);
        }
    }
}
