//! # Every log message has text, and `valid` has no error log
//!
//! ## What it requires
//! No log message is empty or blank. A validation that answers `valid` sends no
//! log message of level `error` or `critical`.
//!
//! ## Why
//! An empty message says nothing, at a level that asks for attention. An error
//! about a promise that is valid is either no error, or the answer is wrong.
//!
//! ## How it is judged
//! On every log message, and on every validation that is answered `valid`. An
//! entry without `message` is PM508, a log line without `=` PM208 or PM209.
//!
//! ## Example
//! ```text
//! ← log_error=Attribute 'mode' looks wrong
//! ← {"operation": "validate_promise", "result": "valid"}
//! ```
//! If the promise can be evaluated all the same, this is a warning.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "Results". cf-agent 3.21.0
//! accepts both.

use crate::phase;
use crate::logs;
use crate::session::{Exchange, Session};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::all_own(session).filter(|exchange| exchange.owed) {
        let valid = exchange.phase == phase::VALIDATE && exchange.is("valid");
        if !valid && exchange.logs().next().is_none() {
            continue;
        }
        let broken = empty(exchange).or_else(|| {
            let text = logs::find(exchange, &["error", "critical"]).filter(|_| valid)?;
            Some(format!(
                "`valid` with a log message of level error: `{}`",
                cut(&visible(text), 80)
            ))
        });
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}

fn empty(exchange: &Exchange) -> Option<String> {
    let log = exchange
        .response
        .as_ref()?
        .logs
        .iter()
        .find(|log| log.malformed.is_none() && log.message.trim_ascii().is_empty())?;
    Some(format!(
        "a log message of level `{}` without text",
        cut(&visible(&log.level), 20)
    ))
}
