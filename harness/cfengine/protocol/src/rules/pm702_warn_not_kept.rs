//! # Under warn, a needed change is `not_kept` with a warning
//!
//! ## What it requires
//! If the system is not as promised, an evaluation with `action_policy` warn answers
//! `not_kept`, with at least one log message of level `warning`.
//!
//! ## Why
//! The warning is the only purpose of a run with `warn`.
//!
//! ## How it is judged
//! - Judged: evaluations with `warn` on a state on which a normal run answers `repaired`.
//! - Not judged: the answers `repaired` (PM704) and `error` (PM405); log levels that the suite
//!   cannot read (PM508); promises whose outcome differs between two normal runs.
//!
//! ## Example
//! ```text
//! → evaluate_promise {dir}/greeting message=hello action_policy=warn
//! ← log_error=File '{dir}/greeting' has the wrong content
//! ← {"operation": "evaluate_promise", "result": "not_kept"}
//! ```
//!
//! ## How to fix
//! Check the system first. If something differs and `action_policy` is `warn`, send a warning
//! and answer `not_kept`.
//! - Shell:
//!   `printf 'log_warning=Should %s, but only warnings promised\n' "write '$promiser'"`
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy". cf-agent accepts an error instead.

use crate::logs::{has, legible};
use crate::session::Session;
use crate::warn::pairs;
use stickler_judge::{Check, Group, Ledger, Relation, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::WARN], check)];

/// `not_kept` without a warning.
const NO_WARNING: Variant = Variant::new("no-warning");
/// The answer is `kept`.
const KEPT: Variant = Variant::new("kept");

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for pair in pairs(group) {
        if !pair.normal.is("repaired") {
            continue;
        }
        let defect = if pair.warned.is("not_kept") {
            if !legible(pair.warned) {
                continue;
            }
            if has(pair.warned, &["warning"]) {
                pair.pass(ledger);
                continue;
            }
            NO_WARNING.says("`not_kept` under warn, without a log message of level warning")
        } else if pair.warned.is("kept") {
            KEPT.says("`kept` under warn, but a normal run answers `repaired`")
        } else {
            continue;
        };
        let finding = pair
            .finding(ledger, defect)
            .expected("not_kept with a warning");
        ledger.report(finding);
    }
}
