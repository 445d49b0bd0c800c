//! # Under warn, a change that is needed is `not_kept` with a warning
//!
//! ## What it requires
//! Where the system is not as promised, an evaluation with `action_policy` warn
//! answers `not_kept`, with at least one log message of level `warning`.
//!
//! ## Why
//! The warning is all that a run with `warn` is made for.
//!
//! ## How it is judged
//! A promise that a normal run repairs is evaluated with `warn` on the same state.
//! An answer `repaired` is PM704's matter, an answer `error` PM405's.
//!
//! cf-agent 3.21.0 is content with an error message in place of the warning.
//!
//! ## Example
//! ```text
//! → evaluate_promise {dir}/greeting message=hello action_policy=warn
//! ← log_error=File '{dir}/greeting' has the wrong content
//! ← {"operation": "evaluate_promise", "result": "not_kept"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy".

use stickler_judge::{Relation};
use crate::logs::{has, legible};
use crate::session::Session;
use crate::warn::pairs;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Warn], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for pair in pairs(group) {
        if !pair.normal.is("repaired") {
            continue;
        }
        let message = if pair.warned.is("not_kept") {
            if !legible(pair.warned) {
                continue;
            }
            if has(pair.warned, &["warning"]) {
                pair.pass(ledger);
                continue;
            }
            "`not_kept` under warn, without a log message of level warning"
        } else if pair.warned.is("kept") {
            "`kept` under warn, though a normal run repairs it"
        } else {
            continue;
        };
        let finding = pair
            .finding(ledger, message)
            .expected("not_kept with a warning");
        ledger.report(finding);
    }
}
