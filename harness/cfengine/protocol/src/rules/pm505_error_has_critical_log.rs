//! # `error` comes with a critical log
//!
//! ## What it requires
//! An answer with the result `error`, to any of the three operations, contains at least one
//! log message of level `critical`.
//!
//! ## Why
//! `error` means that the module has a bug or received a broken request. Its author needs to
//! know which.
//!
//! ## How it is judged
//! - Judged: every request of the three operations that is answered `error`.
//! - Not judged: answers to messages that are no such request; unreadable lists (PM508).
//!
//! ## Example
//! ```text
//! ← log_error=KeyError: 'path'
//! ← {"operation": "evaluate_promise", "result": "error"}
//! ```
//!
//! ## How to fix
//! Send a critical message wherever the module answers `error`: one line that says what went
//! wrong, without a traceback (PM510).
//! - Python: `except Exception as e: log("critical", f"Bug in the module: {e}")`
//! - If the policy or the system is the cause, answer `invalid` or `not_kept` with an error
//!   log instead (PM514).
//! - CFEngine's Python library sends the message if your code raises an exception.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" and "Logging". cf-agent 3.21.0 does not check
//! this.

use crate::reads::OUTCOMES;
use crate::logs;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::all_own(session).filter(|exchange| exchange.is("error")) {
        if !exchange.owed || !logs::legible(exchange) {
            continue;
        }
        let broken = (!logs::has(exchange, &["critical"]))
            .then_some("`error` without a log message of level critical");
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}
