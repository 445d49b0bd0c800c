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
//!
//! ## How to fix
//! Use exactly these seven names, and map others: `warn` to `warning`, `fatal` to `critical`,
//! `trace` to `debug`. Build the answer from new keys, and do not copy `log_level` into it.
//! - Python's `logging`: `record.levelname.lower()` gives the right names.
//! - CFEngine's Python library: `self.log_warning("…")`, and so on.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging". cf-agent accepts capitals and beginnings of the
//! names (`err`), and ends with "Programming Error" on anything else. All measured versions do
//! so.

use crate::logs;
use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::wire::response::is_log_level;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

/// The answer has the `log_level` of the request.
const COPIED: Variant = Variant::new("copies-log-level");
/// No agent knows the level.
const UNKNOWN: Variant = Variant::new("unknown");
/// Some agents know the level.
const SPELLING: Variant = Variant::new("other-spelling");

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
        let defect = if log.level == b"level" {
            COPIED.says(
                "the line `log_level=…` is a log message of the level `level`, which ends the agent",
            )
        } else {
            let known = logs::meant(&log.level).is_some();
            let (variant, effect) = if known {
                (SPELLING, " is not spelled as in the protocol")
            } else {
                (UNKNOWN, " is unknown, which ends the agent")
            };
            let level = cut(&visible(&log.level), 40);
            variant.says(format!("the log level `{level}`{effect}"))
        };
        let finding = ledger
            .finding(exchange.number, defect)
            .expected("critical, error, warning, notice, info, verbose or debug")
            .quote(&log.level)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
