//! # `not_kept` comes with an error log
//!
//! ## What it requires
//! An evaluation that answers `not_kept` carries at least one log message of
//! level `error` (or `critical`). Where the request asks for warnings instead of
//! changes, a warning does.
//!
//! ## Why
//! A promise that could not be kept needs somebody's attention, and the message
//! is all that they get.
//!
//! ## How it is judged
//! On every evaluation that is answered `not_kept`. Log lines before the answer
//! and the list inside a JSON answer count alike.
//!
//! ## Example
//! ```text
//! ← log_warning=Could not reach the mirror
//! ← {"operation": "evaluate_promise", "result": "not_kept"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" and "Action policy". cf-agent
//! 3.21.0 says "Failed to log errors" (or "warnings").

use crate::phase;
use crate::logs;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::own(session, phase::EVALUATE).filter(|exchange| exchange.is("not_kept")) {
        if !logs::legible(exchange) {
            continue;
        }
        let (levels, message): (&[&str], _) = if logs::only_warns(exchange) {
            (
                &["warning", "error", "critical"],
                "`not_kept` without a log message of level warning, where only warnings were asked for",
            )
        } else {
            (
                &["error", "critical"],
                "`not_kept` without a log message of level error",
            )
        };
        let broken = (!logs::has(exchange, levels)).then_some(message);
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}
