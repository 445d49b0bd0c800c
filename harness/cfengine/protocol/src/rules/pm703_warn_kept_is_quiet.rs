//! # Under warn, a promise that is kept is `kept`, quietly
//!
//! ## What it requires
//! Where the system is as promised, an evaluation with `action_policy` warn
//! answers `kept`, and its log messages are of level `verbose` or `debug`.
//!
//! ## Why
//! Whoever reads the warnings of a dry run looks for what would change. A warning
//! about what would not is noise that hides the rest.
//!
//! ## How it is judged
//! On each answer `kept` to an evaluation with `warn`, its log levels; and after a
//! normal run that brought the promise about, the result of an evaluation with
//! `warn`. Messages of level info are PM705's matter.
//!
//! cf-agent 3.21.0 accepts warnings here.
//!
//! ## Example
//! ```text
//! ← log_warning=File '{dir}/greeting' is fine, only warnings promised
//! ← {"operation": "evaluate_promise", "result": "kept"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy".

use stickler_judge::{Relation};
use crate::logs::meant;
use crate::session::Session;
use crate::warn::{evaluations, pairs};
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(quiet), Check::Group(&[Relation::Warn], kept)];

fn quiet(session: &Session, ledger: &mut Ledger) {
    for exchange in evaluations(session).filter(|exchange| exchange.is("kept")) {
        let loud = exchange.logs().find_map(|(level, message)| {
            let level = meant(level)?;
            matches!(level, "critical" | "error" | "warning" | "notice").then_some((level, message))
        });
        let Some((level, message)) = loud else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(
                exchange.number,
                format!("`kept` under warn, with a log message of level {level}"),
            )
            .expected("verbose and debug messages alone")
            .quote(message)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn kept(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for pair in pairs(group) {
        if !pair.normal.is("kept") {
            continue;
        }
        if pair.warned.is("kept") {
            pair.pass(ledger);
        } else if pair.warned.is("not_kept") {
            let finding = pair
                .finding(
                    ledger,
                    "`not_kept` under warn, though a normal run finds it kept",
                )
                .expected("kept");
            ledger.report(finding);
        }
    }
}
