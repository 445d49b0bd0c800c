//! # The agent ends a module with an unusable header, with an error
//!
//! ## What it requires
//! If a module asks for a later protocol version, or not for exactly one protocol, the agent
//! ends it and fails its promises with an error.
//!
//! ## Why
//! Otherwise agent and module misunderstand each other.
//!
//! ## How it is judged
//! - Judged: each answer to the header with fewer than four fields, without a version up to
//!   `v1`, or without exactly one protocol. The agent must send no request after it.
//! - Judged: if the agent keeps the record itself, all promises after that header. Each must
//!   end not kept, with an error.
//!
//! ## Example
//! cf-agent sends requests to a module that answers `module 1.0 v2 json_based`.
//!
//! ## How to fix
//! Split the header at its spaces. If there are fewer than four fields, no version `v0` or
//! `v1`, or not exactly one of `json_based` and `line_based`: log an error, end the module,
//! fail its promises, and send no request.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header".

use super::view;
use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// The agent sends requests anyway.
const SENT: Variant = Variant::new("sent");
/// A promise does not fail with an error.
const NOT_FAILED: Variant = Variant::new("not-failed");

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
            let defect = SENT.says("sent to a module with an unusable header");
            ledger.report(ledger.finding(next.number, defect).also(also));
            continue;
        }
        let silent = view::outcomes(session).any(|outcome| {
            outcome.t >= header.sent_at
                && (outcome.outcome != Fate::Failed || outcome.errors.is_empty())
        });
        if silent {
            let message = "the header is unusable, but a promise does not fail with an error";
            ledger.report(ledger.finding(header.number, NOT_FAILED.says(message)));
        } else {
            ledger.pass(header.number);
        }
    }
}
