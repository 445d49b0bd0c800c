//! # Info messages come only in evaluations
//!
//! ## What it requires
//! Answers to `validate_promise` and `terminate` contain no log message of level `info`.
//!
//! ## Why
//! An info message reports a change to the system. Neither validation nor the module's exit
//! changes anything.
//!
//! ## How it is judged
//! - Judged: every answer to a validation or to `terminate`.
//!
//! ## Example
//! ```text
//! ← log_info=Validating /opt/cfengine/masterfiles
//! ← {"operation": "validate_promise", "result": "valid"}
//! ```
//!
//! ## How to fix
//! Send the message at level `verbose`, or in the evaluation that makes the change.
//! CFEngine's Python library: `self.log_verbose("…")`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging". cf-agent accepts such messages.

use crate::logs;
use crate::phase;
use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::all_own(session).filter(|exchange| exchange.owed) {
        let during = match exchange.phase {
            phase::VALIDATE => "validation",
            phase::TERMINATE => "termination",
            _ => continue,
        };
        let Some(text) = logs::find(exchange, &["info"]) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(
                exchange.number,
                format!(
                    "a log message of level info in {during}: `{}`",
                    cut(&visible(text), 80)
                ),
            )
            .expected("verbose or debug")
            .quote(text)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
