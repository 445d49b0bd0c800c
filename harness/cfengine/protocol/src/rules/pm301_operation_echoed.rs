//! # Every answer names the operation that it answers
//!
//! ## What it requires
//! Each answer has `operation`, and it is the operation of the request:
//! `validate_promise`, `evaluate_promise` or `terminate`.
//!
//! ## Why
//! It is the one thing that ties an answer to its request. With it an agent (and
//! whoever reads a log) sees at once when the two have run apart.
//!
//! ## How it is judged
//! On every answer to the three operations that can be read. Nothing is said of
//! answers after a message too many, which may belong to an earlier request, of an
//! `operation` that is no string (PM206), nor of the answer `error` to a request
//! that is no JSON because of raw control bytes or invalid UTF-8 in it (PM906).
//!
//! cf-agent 3.21.0 does not look at `operation` in answers, so a module without
//! it seems to work there.
//!
//! ## Example
//! ```text
//! → evaluate_promise /etc/motd
//! ← {"operation": "validate_promise", "result": "kept"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use stickler_transcript::Relation;
use crate::phase;
use crate::ending::out_of_step;
use crate::narrower;
use crate::output::is_variant;
use crate::session::{Exchange, Session};
use crate::wire::Operation;
use crate::wire::json::JsonType;
use crate::wire::header::Protocol;
use crate::wire::response::{FieldState, Response};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};


pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    // What strange keys do to an echo is PM311's matter.
    if is_variant(session, &[Relation::Keys]) {
        return;
    }
    for (exchange, response) in session.responses() {
        let Some(asked) = operation(exchange) else {
            continue;
        };
        if !is_answer(response) || out_of_step(session, exchange) {
            continue;
        }
        // Raw control bytes, which agents send, make a request that is no JSON, and
        // half a surrogate pair is none to many parsers: a module that says so
        // cannot know the operation.
        let json = response.protocol == Protocol::Json;
        let unreadable = narrower::is_raw(exchange) || narrower::is_other_scalar(session, exchange);
        if json && exchange.is("error") && unreadable {
            continue;
        }
        let wanted = asked.as_bytes();
        let wrong = match response.operation.state() {
            FieldState::OtherType(_) => continue,
            FieldState::Absent => Some("the answer has no `operation`".to_owned()),
            // Of doubled keys the last counts.
            FieldState::Text(_) | FieldState::Doubled(_) => match response.operation.text() {
                None => continue,
                Some(answered) if answered == wanted => None,
                Some(answered) => Some(format!(
                    "`operation` is `{}` in the answer to `{}`",
                    cut(&visible(answered), 60),
                    visible(wanted)
                )),
            },
        };
        let Some(message) = wrong else {
            ledger.pass(exchange.number);
            continue;
        };
        let mut finding = ledger
            .finding(exchange.number, message)
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
