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
//! - Judged: an unknown operation or a broken message that is answered `error` without any
//!   message of level `error` or `critical`. This is advice.
//! - Not judged: unreadable lists (PM508).
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
//! CFEngine: Custom promise types, "Results" and "Logging". cf-agent checks nothing.

use crate::logs;
use crate::purpose;
use crate::reads::OUTCOMES;
use crate::relation;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Level, Variant};
use stickler_transcript::Phase;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(OUTCOMES, check),
    Check::Session(&[relation::BROKEN], refusals),
];

/// Nothing explains why a message is refused.
const SILENT: Variant =
    Variant::new("silent-refusal").titled("A refused message comes with an explanation");

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

/// Are unknown operations and broken messages refused without a word?
fn refusals(session: &Session, ledger: &mut Ledger) {
    let refused = session
        .answered(Phase::OTHER)
        .filter(|exchange| exchange.is("error") && logs::legible(exchange));
    for exchange in refused {
        if logs::has(exchange, &["critical", "error"]) {
            ledger.pass(exchange.number);
            continue;
        }
        let what = match exchange.key.is(purpose::UNKNOWN_OPERATION) {
            true => "an unknown operation",
            false => "a broken message",
        };
        let message = format!("{what} is answered `error` without a log message that says why");
        let finding = ledger
            .finding(exchange.number, SILENT.says(message))
            .expected("a log message of level critical")
            .at_most(Level::May);
        ledger.report(finding);
    }
}
