//! # `failure` at termination comes with a critical log
//!
//! ## What it requires
//! An answer to `terminate` with the result `failure` contains at least one log message of
//! level `critical`.
//!
//! ## Why
//! `failure` means that a lock, a mount or a temporary directory is left. Without a message
//! nobody finds out which.
//!
//! ## How it is judged
//! - Judged: every `terminate` that is answered `failure`.
//! - Not judged: unreadable lists (PM508).
//!
//! ## Example
//! ```text
//! ← {"operation": "terminate", "result": "failure"}
//! ```
//!
//! ## How to fix
//! Send the reason before the answer: `log_critical=Could not unmount '/mnt/x'`.
//! CFEngine's Python library: `self.log_critical("…")` in `protocol_terminate`, then
//! `return Result.FAILURE`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results". cf-agent ignores the result of `terminate`.

use crate::logs;
use crate::phase;
use crate::reads::OUTCOMES;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::own(session, phase::TERMINATE).filter(|exchange| exchange.is("failure")) {
        if !logs::legible(exchange) {
            continue;
        }
        let broken = (!logs::has(exchange, &["critical"]))
            .then_some("`failure` without a log message of level critical");
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}
