//! # `kept` has no info, error or critical log
//!
//! ## What it requires
//! An evaluation with the result `kept` sends no log message of level `info`, `error` or
//! `critical`; warnings and notices are allowed.
//!
//! ## Why
//! Info messages report changes, and error messages failures. A module that says "nothing to
//! do" at level info every five minutes hides real changes.
//!
//! ## How it is judged
//! - Judged: every evaluation that is answered `kept`.
//! - Not judged: requests with `action_policy` warn or nop (PM703).
//!
//! ## Example
//! ```text
//! ← log_info=The file is up to date
//! ← {"operation": "evaluate_promise", "result": "kept"}
//! ```
//!
//! ## How to fix
//! Send "nothing to do" at level `verbose`. Send an info message only where the change
//! happens. If something failed, the promise is not `kept`: answer `not_kept`.
//! CFEngine's Python library: `self.log_verbose("…")`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "Results". cf-agent accepts such messages.

use crate::logs;
use crate::phase;
use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

/// A change is reported where nothing changed.
const INFO: Variant = Variant::new("logs-info");
/// A failure is reported where nothing failed.
const ERROR: Variant = Variant::new("logs-error");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::own(session, phase::EVALUATE).filter(|exchange| exchange.is("kept")) {
        if logs::only_warns(exchange) {
            continue;
        }
        let loud = ["info", "error", "critical"]
            .into_iter()
            .find_map(|level| Some((level, logs::find(exchange, &[level])?)));
        let Some((level, text)) = loud else {
            ledger.pass(exchange.number);
            continue;
        };
        let variant = if level == "info" { INFO } else { ERROR };
        let finding = ledger
            .finding(
                exchange.number,
                variant.says(format!(
                    "`kept` with a log message of level {level}: `{}`",
                    cut(&visible(text), 80)
                )),
            )
            .expected("verbose or debug")
            .quote(text)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
