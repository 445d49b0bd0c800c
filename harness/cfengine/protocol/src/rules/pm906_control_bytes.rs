//! # Raw control bytes and invalid UTF-8 do not end the module
//!
//! ## What it requires
//! A request in which control bytes, or bytes that are no UTF-8, stand as they
//! are does not end the process. Any answer will do, `error` too.
//!
//! ## Why
//! Agents do send such requests: a policy may read a value from a file or a
//! command. A module that stops while it decodes its input fails every promise
//! that comes after.
//!
//! ## How it is judged
//! Control bytes and broken UTF-8 are put behind each text value and the
//! promiser. Only the end of the process is told here; a request that is not
//! answered is PM902, as a `should`. cf-agent 3.21.0 escapes TAB, CR, LF,
//! backspace, form feed, quote and backslash in JSON and sends every other byte
//! as it stands, so that the request is then no JSON at all.
//!
//! ## Example
//! A Python module reads standard input as strict UTF-8; the byte `0xff` raises
//! an exception outside of any handler.
//!
//! ## Source
//! The bytes that cf-agent 3.21.0 sends; CFEngine: Custom promise types, "Line
//! based protocol" (values may hold anything but newlines and zero bytes).

use crate::phase;
use crate::narrower;
use crate::output::{in_time, unanswered};
use crate::session::{Ended, Session};
use stickler_judge::{Check, Ledger};
use stickler_transcript::{ExitCause};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        let asked = matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE) && exchange.owed;
        if !asked || !narrower::is_raw(exchange) {
            continue;
        }
        if in_time(exchange) {
            ledger.pass(exchange.number);
            continue;
        }
        let Ended::Exited(cause) = exchange.ended else {
            continue;
        };
        if cause == ExitCause::Lost {
            continue;
        }
        let what = match std::str::from_utf8(&exchange.sent) {
            Ok(_) => "a request with raw control bytes",
            Err(_) => "a request with invalid UTF-8",
        };
        let how = unanswered(exchange).unwrap_or_default();
        let finding = ledger
            .finding(exchange.number, format!("{what} {how}"))
            .expected("any answer, `invalid` or `error` too")
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
