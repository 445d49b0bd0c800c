//! # Every log message has text, and `valid` has no error log
//!
//! ## What it requires
//! No log message is empty or blank, and a validation with the result `valid` sends no message
//! of level `error` or `critical`.
//!
//! ## Why
//! An empty message says nothing. An error message about a valid promise contradicts the
//! answer.
//!
//! ## How it is judged
//! - Judged: every log message, and every validation that is answered `valid`.
//! - Not judged: entries without `message` (PM508); log lines without `=` (PM208, PM209).
//!
//! ## Example
//! ```text
//! ← log_error=Attribute 'mode' looks wrong
//! ← {"operation": "validate_promise", "result": "valid"}
//! ```
//!
//! ## How to fix
//! If the promise can be evaluated, send a warning; otherwise answer `invalid`. Skip empty
//! messages in the function that logs:
//! - Python: `if text.strip(): …`
//! - Shell: `case $text in *[![:space:]]*) printf 'log_%s=%s\n' "$level" "$text" ;; esac`
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "Results". cf-agent 3.21.0 accepts both.

use crate::reads::OUTCOMES;
use crate::phase;
use crate::logs;
use crate::session::{Exchange, Session};
use crate::words::{cut, visible};
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

/// A message without text.
const EMPTY: Variant = Variant::new("empty");
/// An error message about a valid promise.
const CONTRADICTS: Variant = Variant::new("error-in-valid");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::all_own(session).filter(|exchange| exchange.owed) {
        let valid = exchange.phase == phase::VALIDATE && exchange.is("valid");
        if !valid && exchange.logs().next().is_none() {
            continue;
        }
        let broken = empty(exchange).or_else(|| {
            let text = logs::find(exchange, &["error", "critical"]).filter(|_| valid)?;
            Some(CONTRADICTS.says(format!(
                "`valid` with a log message of level error: `{}`",
                cut(&visible(text), 80)
            )))
        });
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}

fn empty(exchange: &Exchange) -> Option<Defect> {
    let log = exchange
        .response
        .as_ref()?
        .logs
        .iter()
        .find(|log| log.malformed.is_none() && log.message.trim_ascii().is_empty())?;
    Some(EMPTY.says(format!(
        "a log message of level `{}` without text",
        cut(&visible(&log.level), 20)
    )))
}
