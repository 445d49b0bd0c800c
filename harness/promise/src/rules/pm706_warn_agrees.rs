//! # Warn and a normal run agree
//!
//! ## What it requires
//! What an evaluation with `action_policy` warn calls `not_kept`, a normal one on
//! the same state repairs, or fails to; what warn calls `kept`, the normal one
//! keeps.
//!
//! ## Why
//! A dry run is a prediction. One that is wrong is worse than none.
//!
//! ## How it is judged
//! The same promise is evaluated with and without `warn`, on a fresh state and
//! after a normal run. Outcomes that differ between two normal runs are left out.
//!
//! ## Example
//! Under `warn` a module only looks whether the file exists; the normal run
//! compares its content as well.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy" and "Results".

use crate::session::Session;
use crate::warn::pairs;
use crate::words::visible;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&["warn"], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for pair in pairs(group) {
        let normal = pair.normal.result().unwrap_or_default();
        if !matches!(normal, b"kept" | b"repaired" | b"not_kept") {
            continue;
        }
        let wrong = match pair.warned.result() {
            Some(b"kept") => normal != b"kept",
            Some(b"not_kept") => normal == b"kept",
            _ => continue,
        };
        if !wrong {
            pair.pass(ledger);
            continue;
        }
        let warned = visible(pair.warned.result().unwrap_or_default());
        let finding = pair
            .finding(
                ledger,
                format!(
                    "under warn it is `{warned}`, in a normal run `{}`",
                    visible(normal)
                ),
            )
            .expected(if warned == "kept" { "not_kept" } else { "kept" });
        ledger.report(finding);
    }
}
