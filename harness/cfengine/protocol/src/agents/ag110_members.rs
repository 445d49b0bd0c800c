//! # Requests have operation, log level, promise type and promiser
//!
//! ## What it requires
//! A validation and an evaluation have the members `operation`, `log_level`, `promise_type`
//! and `promiser`.
//!
//! ## Why
//! Modules read these members without a check.
//!
//! ## How it is judged
//! - Judged: `log_level`, `promise_type` and `promiser` in each validation and evaluation. A
//!   message without `operation` is neither.
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", "promise_type": "git", "promiser": "/x"}
//! ```
//! The module does not know what to log.
//!
//! ## How to fix
//! Write all four members into each validation and evaluation. Take `log_level` from the
//! agent's options or the promise's `action` body, and default to `info`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Example requests in JSON based protocol".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, request) in view::requests(session) {
        let missing: Vec<&str> = [
            ("log_level", &request.log_level),
            ("promise_type", &request.promise_type),
            ("promiser", &request.promiser),
        ]
        .into_iter()
        .filter(|(_, value)| value.is_none())
        .map(|(name, _)| name)
        .collect();
        if missing.is_empty() {
            ledger.pass(exchange.number);
        } else {
            let message = format!("the request has no `{}`", missing.join("`, `"));
            ledger.report(ledger.finding(exchange.number, message));
        }
    }
}
