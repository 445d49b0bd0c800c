//! # A broken answer fails its own promise only, with an error
//!
//! ## What it requires
//! If an answer breaks the protocol, its promise fails with an error, and its rest does not
//! count as the answer to the next request.
//!
//! ## Why
//! Otherwise one surplus line gives each later promise the outcome of another.
//!
//! ## How it is judged
//! - Judged: each answer without a usable result, if the agent keeps the record itself. The
//!   promise must end not kept, with an error of the agent or the module.
//! - Not judged: what only a generous reader of JSON understands.
//! - Judged: each complete answer after surplus output. The promise must have the outcome of
//!   its own answer.
//!
//! ## Example
//! A module answers a validation twice. cf-agent takes the second answer for the one to the
//! evaluation.
//!
//! ## How to fix
//! Fail the promise with an error if its answer has no usable result. Before each request,
//! read and discard what is left in the pipe, without waiting. If that fails, restart the
//! module.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" and "Protocol header".

use super::view::{self, due};
use crate::phase;
use crate::session::Session;
use crate::wire::Protocol;
use crate::wire::response::Response;
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// The promise does not fail.
const NOT_FAILED: Variant = Variant::new("not-failed");
/// It fails without an error.
const NO_ERROR: Variant = Variant::new("no-error");
/// The rest of the answer counts as the next answer.
const SHIFTED: Variant = Variant::new("shifted");

fn check(session: &Session, ledger: &mut Ledger) {
    for outcome in view::outcomes(session).filter(|outcome| !outcome.unresolved) {
        let own: Vec<_> = view::about(session, outcome).collect();
        let (Some(first), Some(last)) = (own.first(), own.last()) else {
            continue;
        };
        // After the broken answer to another promise, nobody knows which answer an agent reads next.
        let all: Vec<_> = view::exchanges(session, first.process).collect();
        let is_known = view::was_clean(&all, first.number);
        let Some(end) = last.message else {
            continue;
        };
        let protocol = session.protocol(last).unwrap_or(Protocol::Line);
        let answer = Response::analyse(&last.output[..end], protocol);
        if last.phase == phase::VALIDATE && answer.result.text() == Some(b"valid") {
            // An evaluation is missing, which AG119 judges.
            continue;
        }
        let due = due(last.phase, answer.result.text());
        let wrong = match due {
            None if !is_known => continue,
            // An agent may read more than JSON.
            None if outcome.outcome != Fate::Failed && is_almost(&last.output[..end]) => continue,
            None if outcome.outcome != Fate::Failed => {
                NOT_FAILED.says("the answer is broken, but the promise does not fail")
            }
            None if outcome.errors.is_empty() && !says_why(&last.output[..end]) => {
                NO_ERROR.says("the answer is broken, but no error says so")
            }
            Some(due) if last.shifted && due != outcome.outcome => {
                SHIFTED.says("the promise has the outcome of another answer")
            }
            None => {
                ledger.pass(last.number);
                continue;
            }
            Some(_) if last.shifted => {
                ledger.pass(last.number);
                continue;
            }
            Some(_) => continue,
        };
        ledger.report(ledger.finding(last.number, wrong));
    }
}

/// Is this an object with a result in it, if only one reads generously?
fn is_almost(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    last.contains("result") && stickler_json::parse(last.as_bytes()).is_err()
}

/// Does the module itself log an error, which the agent prints?
fn says_why(answer: &[u8]) -> bool {
    let mut lines = answer.split(|byte| *byte == b'\n');
    lines.any(|line| line.starts_with(b"log_error=") || line.starts_with(b"log_critical="))
}
