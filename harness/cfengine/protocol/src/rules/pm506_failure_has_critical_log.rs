//! # `failure` at termination comes with a critical log
//!
//! ## What it requires
//! When `terminate` is answered `failure`, the answer carries at least one log
//! message of level `critical`.
//!
//! ## Why
//! Something was not cleaned up: a lock, a mount, a temporary directory. Without
//! a message nobody finds out what.
//!
//! ## How it is judged
//! On every `terminate` that is answered `failure`.
//!
//! ## Example
//! ```text
//! ← {"operation": "terminate", "result": "failure"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Results". cf-agent 3.21.0 passes over the
//! result of `terminate`.

use crate::phase;
use crate::logs;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
