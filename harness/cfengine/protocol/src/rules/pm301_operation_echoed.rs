//! # Every answer names the operation of its request
//!
//! ## What it requires
//! Each answer contains `operation` with the operation of the request: `validate_promise`,
//! `evaluate_promise` or `terminate`.
//!
//! ## Why
//! Only this key ties an answer to its request. It shows an agent, and the reader of a log,
//! when requests and answers are out of step.
//!
//! ## How it is judged
//! - Judged: every readable answer to one of the three operations.
//! - Not judged: an `operation` that is not a string (PM206); answers after an extra message
//!   (PM202); requests with unknown keys (PM311).
//! - Not judged: an answer that refuses a request that is no valid JSON: one with raw control
//!   bytes or invalid UTF-8 (PM906), or with odd values (PM912).
//!
//! ## Example
//! A module answers `evaluate_promise` with
//! `{"operation": "validate_promise", "result": "kept"}`.
//!
//! ## How to fix
//! Copy `operation` from the request into each answer:
//! - Python: `answer = {"operation": request["operation"], "result": result}`
//! - Shell: `operation=*) operation=${line#*=} ;;`, and later
//!   `printf 'operation=%s\n' "$operation"`
//! - CFEngine's Python library does so by itself.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence". cf-agent ignores `operation` in
//! answers, so a module without it seems to work there.

use crate::ending::out_of_step;
use crate::narrower;
use crate::output::is_variant;
use crate::phase;
use crate::reads::ANSWERS;
use crate::relation;
use crate::session::{Exchange, Session};
use crate::wire::Operation;
use crate::wire::header::Protocol;
use crate::wire::json::JsonType;
use crate::wire::response::{FieldState, Response};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

/// No `operation` in the answer.
const MISSING: Variant = Variant::new("missing");
/// Another operation than the one of the request.
const OTHER: Variant = Variant::new("other-operation");

fn check(session: &Session, ledger: &mut Ledger) {
    // PM311 judges what unknown keys do to an echo.
    if is_variant(session, &[relation::KEYS]) {
        return;
    }
    for (exchange, response) in session.responses() {
        let Some(asked) = operation(exchange) else {
            continue;
        };
        if !is_answer(response) || out_of_step(session, exchange) {
            continue;
        }
        // Raw control bytes, which agents send, make a request invalid JSON: a module that
        // refuses it cannot know the operation.
        if narrower::is_unread(session, exchange) {
            continue;
        }
        let wanted = asked.as_bytes();
        let wrong = match response.operation.state() {
            FieldState::OtherType(_) => continue,
            FieldState::Absent => Some(MISSING.says("the answer has no `operation`")),
            // Of several `operation` keys the last counts.
            FieldState::Text(_) | FieldState::Doubled(_) => match response.operation.text() {
                None => continue,
                Some(answered) if answered == wanted => None,
                Some(answered) => Some(OTHER.says(format!(
                    "`operation` is `{}` in the answer to `{}`",
                    cut(&visible(answered), 60),
                    visible(wanted)
                ))),
            },
        };
        let Some(defect) = wrong else {
            ledger.pass(exchange.number);
            continue;
        };
        let mut finding = ledger
            .finding(exchange.number, defect)
            .expected(format!("operation {}", visible(wanted)))
            .graded(exchange.provenance);
        if let Some(answered) = response.operation.text() {
            finding = finding.quote(answered);
        }
        ledger.report(finding);
    }
}

fn operation(exchange: &Exchange) -> Option<Operation> {
    match exchange.phase {
        phase::VALIDATE => Some(Operation::Validate),
        phase::EVALUATE => Some(Operation::Evaluate),
        phase::TERMINATE => Some(Operation::Terminate),
        _ => None,
    }
}

/// Is there an answer to look into, not just something printed?
fn is_answer(response: &Response) -> bool {
    match response.protocol {
        Protocol::Json => response
            .json
            .as_ref()
            .is_some_and(|json| json.as_ref().is_ok_and(|json| *json == JsonType::Object)),
        Protocol::Line => !response.result.is_absent() || !response.operation.is_absent(),
    }
}
