//! # The exit status is 0 after `success`
//!
//! ## What it requires
//! A module that answers `terminate` with `success` exits with status 0.
//!
//! ## Why
//! `success` means that the module ended without errors. Another exit status is a crash on the
//! way out: unwritten buffers, or a clean-up that did not happen.
//!
//! ## How it is judged
//! - Judged: every process that answered `terminate` with `success` and ended by itself.
//! - Not judged: a process that the suite had to kill (PM307).
//!
//! ## Example
//! A Python module answers and then fails in a `finally` block, so its status is 1.
//!
//! ## How to fix
//! Clean up before the answer. If that fails, answer `failure` with a critical log (PM506).
//! Then exit with 0 explicitly:
//! - Shell: end the script with `exit 0`, since the last command's status counts otherwise.
//! - Python: `sys.exit(0)` in the main thread; end other threads before.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (`success`: terminated without errors). cf-agent
//! ignores the exit status.

use crate::ending::process_ended_by_itself;
use crate::phase;
use crate::relation;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_transcript::ExitCause;

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[relation::BROKEN, relation::ENDS, Relation::RESTART],
    check,
)];

/// Another exit status than 0.
const STATUS: Variant = Variant::new("other-status");
/// A signal ends it.
const SIGNAL: Variant = Variant::new("signal");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session
        .answered(phase::TERMINATE)
        .filter(|e| e.is("success"))
    {
        let process = session.process(exchange);
        if !process_ended_by_itself(process) || !session.is_last(exchange) {
            continue;
        }
        let wrong = match process.exit {
            Some((_, ExitCause::Code(0))) => None,
            Some((_, ExitCause::Code(code))) => Some(STATUS.says(format!(
                "exit status {code} after `terminate` was answered `success`"
            ))),
            Some((_, ExitCause::Signal(signal))) => Some(SIGNAL.says(format!(
                "ended by signal {signal} after `terminate` was answered `success`"
            ))),
            Some((_, ExitCause::Lost)) | None => continue,
        };
        let Some(defect) = wrong else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, defect)
            .expected("exit status 0")
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
