//! # `not_kept` comes with an error log
//!
//! ## What it requires
//! An evaluation with the result `not_kept` contains at least one log message of level `error`
//! or `critical`.
//!
//! ## Why
//! Somebody has to look after a promise that the module could not keep. The message is all
//! that they get.
//!
//! ## How it is judged
//! - Judged: every evaluation that is answered `not_kept`. Log lines and the list in a JSON
//!   answer both count. If the request has `action_policy` warn or nop, a warning is enough.
//! - Not judged: unreadable lists (PM508).
//!
//! ## Example
//! ```text
//! ← log_warning=Could not reach the mirror
//! ← {"operation": "evaluate_promise", "result": "not_kept"}
//! ```
//!
//! ## How to fix
//! Send what failed, and why, at level `error`. Under `action_policy` warn, send a warning
//! instead (PM709).
//! - Python: `except OSError as e: log("error", f"Could not write {path}: {e.strerror}")`
//! - Shell: `reason=$(mv -- "$new" "$file" 2>&1) || log error "$reason"`, with a line for
//!   each message.
//! - CFEngine's Python library: `self.log_error("…")`, then `return Result.NOT_KEPT`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" and "Action policy". cf-agent says "Failed to log
//! errors" (or "warnings").

use crate::logs;
use crate::phase;
use crate::reads::OUTCOMES;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

/// No warning where only warnings were asked for.
const NO_WARNING: Variant = Variant::new("no-warning");
/// No error message in a normal run.
const NO_ERROR: Variant = Variant::new("no-error");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::own(session, phase::EVALUATE).filter(|exchange| exchange.is("not_kept")) {
        if !logs::legible(exchange) {
            continue;
        }
        let (levels, defect): (&[&str], _) = if logs::only_warns(exchange) {
            (
                &["warning", "error", "critical"],
                NO_WARNING.says("`not_kept` without a log message of level warning, where only warnings were asked for"),
            )
        } else {
            (
                &["error", "critical"],
                NO_ERROR.says("`not_kept` without a log message of level error"),
            )
        };
        let broken = (!logs::has(exchange, levels)).then_some(defect);
        // It may warn since an earlier request asked for warnings alone.
        let mut earlier = session.exchanges.iter();
        let has_warned = earlier.any(|one| {
            one.process == exchange.process && one.number < exchange.number && one.warns()
        });
        let is_carried_over = has_warned && !exchange.warns() && logs::has(exchange, &["warning"]);
        let place = ledger.place(exchange.number);
        ledger.check_with(
            place,
            exchange.provenance,
            broken,
            |finding| match is_carried_over {
                true => finding.follows("PM305"),
                false => finding,
            },
        );
    }
}
