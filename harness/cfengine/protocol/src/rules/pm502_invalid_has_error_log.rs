//! # `invalid` comes with an error log
//!
//! ## What it requires
//! An answer to `validate_promise` with result `invalid` carries at least one
//! log message of level `error` (or `critical`).
//!
//! ## Why
//! Without it nobody learns what is wrong with the promise. cf-agent prints
//! "Bug in promise module" in its place.
//!
//! ## How it is judged
//! On every validation that is answered `invalid`, whatever was sent. Log lines
//! before the answer and the list inside a JSON answer count alike. Levels that
//! are misspelled are PM501, a list that cannot be read is PM508.
//!
//! ## Example
//! ```text
//! ← {"operation": "validate_promise", "result": "invalid"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Results".

use crate::phase;
use crate::logs;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
