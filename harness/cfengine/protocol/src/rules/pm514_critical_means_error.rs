//! # Critical logs come only with `error` or `failure`
//!
//! ## What it requires
//! A log message of level `critical` stands in an answer whose result is
//! `error`, or, at termination, `failure`.
//!
//! ## Why
//! Critical tells of a bug in the module or the protocol. What is wrong with a
//! policy or a system is level `error`.
//!
//! ## How it is judged
//! On every request of the three operations that is answered with a critical
//! message.
//!
//! ## Example
//! ```text
//! ← log_critical=Attribute 'path' is missing
//! ← {"operation": "validate_promise", "result": "invalid"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "Results". cf-agent 3.21.0
//! takes a critical message for an error message where it looks for one.

use crate::logs;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
            // Without any log message there was nothing to get wrong.
            None if exchange.logs().next().is_some() => ledger.pass(exchange.number),
            None => {}
        }
    }
}
