//! # Log levels are those of the protocol, spelled as they are there
//!
//! ## What it requires
//! The level of a log message is `critical`, `error`, `warning`, `notice`,
//! `info`, `verbose` or `debug`. No answer has a line `log_level=…`.
//!
//! ## Why
//! A level that the agent does not know ends the whole agent, not just the
//! promise. A module that copies the request's keys into its answer sends
//! `log_level=info`, which is a log message of a level named `level`.
//!
//! ## How it is judged
//! On every log message, on a line of its own or in the list `log`. Entries
//! whose level is missing or no string are PM508.
//!
//! ## Example
//! ```text
//! ← log_warn=The file is empty
//! ← log_level=info
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging". cf-agent 3.21.0 accepts capitals
//! and beginnings of the names (`err`), and ends with "Programming Error" on
//! anything else; other versions need not accept them.

use crate::logs;
use crate::session::Session;
use crate::wire::response::is_log_level;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
            "the line `log_level=…` is a log message of a level `level`, which ends the agent"
                .to_owned()
        } else {
            let known = logs::meant(&log.level).is_some();
            let effect = if known { "" } else { ", which ends the agent" };
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
