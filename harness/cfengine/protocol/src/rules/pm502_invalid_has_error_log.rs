//! # `invalid` comes with an error log
//!
//! ## What it requires
//! A validation with the result `invalid` contains at least one log message of level `error`
//! or `critical`.
//!
//! ## Why
//! Without the message, nobody learns what is wrong with the promise. cf-agent prints "Bug in
//! promise module" instead.
//!
//! ## How it is judged
//! - Judged: every validation that is answered `invalid`, whatever the request. Log lines and
//!   the list in a JSON answer both count, also with an abbreviated level (PM501).
//! - Not judged: unreadable lists (PM508).
//!
//! ## Example
//! ```text
//! ← {"operation": "validate_promise", "result": "invalid"}
//! ```
//!
//! ## How to fix
//! Send the reason before the answer. Name the attribute, and say what is allowed. One
//! function `refuse(reason)` that sends both cannot forget it.
//! - Shell: `printf 'log_error=%s\n' "Attribute 'mode' must be an octal number"`
//! - CFEngine's Python library: `raise ValidationError("Attribute 'mode' must be …")` logs
//!   the text.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results".

use crate::logs;
use crate::phase;
use crate::reads::OUTCOMES;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::own(session, phase::VALIDATE).filter(|exchange| exchange.is("invalid")) {
        if !logs::legible(exchange) {
            continue;
        }
        let broken = (!logs::has(exchange, &["error", "critical"]))
            .then_some("`invalid` without a log message of level error");
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}
