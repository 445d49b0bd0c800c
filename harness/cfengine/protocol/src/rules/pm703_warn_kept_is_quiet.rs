//! # Under warn, a satisfied promise is `kept`, with verbose and debug messages only
//!
//! ## What it requires
//! If the system is as promised, an evaluation with `action_policy` warn answers `kept`, and
//! its log messages have level `verbose` or `debug`.
//!
//! ## Why
//! A user reads the warnings of a dry run to see what would change. A warning about a promise
//! that needs no change hides the others.
//!
//! ## How it is judged
//! - Judged: the log levels of each `kept` under `warn`; also the result under `warn`, on a
//!   state on which a normal run answers `kept`.
//! - Not judged: messages of level info (PM705); results other than `kept` and `not_kept`; the
//!   result, if it differs between two normal runs.
//!
//! ## Example
//! The module logs `log_warning=File '{dir}/greeting' is fine, only warnings promised`.
//!
//! ## How to fix
//! Check the system before you look at `action_policy`. If nothing differs, answer `kept`,
//! with `verbose` and `debug` messages only. Only the branch with a difference warns.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy". cf-agent accepts warnings here.

use crate::logs::meant;
use crate::session::Session;
use crate::warn::{evaluations, pairs};
use stickler_judge::{Check, Group, Ledger, Relation, Variant};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(&[Relation::DRIFT, Relation::WARN], quiet),
    Check::Group(&[Relation::WARN], kept),
];

/// `kept` with a log message.
const LOUD: Variant = Variant::new("not-quiet");
/// The answer is `not_kept`.
const NOT_KEPT: Variant = Variant::new("not-kept");

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
                LOUD.says(format!(
                    "`kept` under warn, with a log message of level {level}"
                )),
            )
            .expected("only verbose and debug messages")
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
                    NOT_KEPT.says("`not_kept` under warn, but a normal run answers `kept`"),
                )
                .expected("kept");
            ledger.report(finding);
        }
    }
}
