//! # Critical logs come only with `error` or `failure`
//!
//! ## What it requires
//! Only answers with the result `error` or, at termination, `failure` contain log messages of
//! level `critical`.
//!
//! ## Why
//! A critical message reports a bug in the module or the protocol. A problem of the policy or
//! the system has level `error`.
//!
//! ## How it is judged
//! - Judged: every answer to one of the three operations that contains log messages.
//!
//! ## Example
//! ```text
//! ← log_critical=Attribute 'path' is missing
//! ← {"operation": "validate_promise", "result": "invalid"}
//! ```
//!
//! ## How to fix
//! Send problems of the policy at level `error` with `invalid`, and problems of the system at
//! level `error` with `not_kept`. Send `critical` only in the function that answers `error`.
//! CFEngine's Python library: `raise ValidationError("…")`, or `self.log_error("…")` in the
//! evaluation.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "Results". cf-agent accepts a critical message
//! where it looks for an error message.

use crate::logs;
use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::all_own(session).filter(|exchange| exchange.owed) {
        let Some(result) = exchange.result() else {
            continue;
        };
        let text = logs::find(exchange, &["critical"]);
        match text {
            Some(text) if !matches!(result, b"error" | b"failure") => {
                let finding = ledger
                    .finding(
                        exchange.number,
                        format!(
                            "a log message of level critical with the result `{}`: `{}`",
                            cut(&visible(result), 40),
                            cut(&visible(text), 80)
                        ),
                    )
                    .expected("level error, or the result error")
                    .quote(text)
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
            Some(_) => ledger.pass(exchange.number),
            // An answer without log messages says nothing about this rule.
            None if exchange.logs().next().is_some() => ledger.pass(exchange.number),
            None => {}
        }
    }
}
