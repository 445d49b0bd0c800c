//! # Log levels have exactly the names that the protocol defines
//!
//! ## What it requires
//! The level of a log message is `critical`, `error`, `warning`, `notice`, `info`, `verbose`
//! or `debug`, and no answer has a line `log_level=…`.
//!
//! ## Why
//! An unknown level ends the whole agent, not just the promise. A module that copies the
//! request's keys into its answer sends `log_level=info`: a message of the level `level`.
//!
//! ## How it is judged
//! - Judged: every log message, on a line of its own or in the list `log`.
//! - Not judged: entries whose level is missing or not a string (PM508).
//!
//! ## Example
//! ```text
//! ← log_warn=The file is empty
//! ← log_level=info
//! ```
//! Fix: write `log_warning=`, and do not repeat `log_level`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging". cf-agent 3.21.0 accepts capitals and beginnings
//! of the names (`err`), and ends with "Programming Error" on anything else. Other versions
//! need not accept them.

use crate::reads::OUTCOMES;
use crate::logs;
use crate::session::Session;
use crate::wire::response::is_log_level;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let mut judged = response
            .logs
            .iter()
            .filter(|log| log.malformed.is_none())
            .peekable();
        if judged.peek().is_none() {
            continue;
        }
        let Some(log) = judged.find(|log| !is_log_level(&log.level)) else {
            ledger.pass(exchange.number);
            continue;
        };
        let message = if log.level == b"level" {
            "the line `log_level=…` is a log message of the level `level`, which ends the agent"
                .to_owned()
        } else {
            let known = logs::meant(&log.level).is_some();
            let effect = if known {
                " is not spelled as in the protocol"
            } else {
                " is unknown, which ends the agent"
            };
            format!("the log level `{}`{effect}", cut(&visible(&log.level), 40))
        };
        let finding = ledger
            .finding(exchange.number, message)
            .expected("critical, error, warning, notice, info, verbose or debug")
            .quote(&log.level)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
