//! # JSON: the answer is an object whose `operation` and `result` are strings
//!
//! ## What it requires
//! In the JSON protocol a request is answered with a JSON object. It has a
//! `result`, and `result` and `operation` are strings.
//!
//! ## Why
//! Without a result the agent does not know the promise's outcome. Other types
//! in their place are read as garbage.
//!
//! ## How it is judged
//! On every answer in the JSON protocol that is valid JSON, or has nothing in
//! it that looks like JSON. Which results there are is judged by PM401, PM402
//! and PM403, a missing `operation` by PM301, broken JSON by PM205, and a text
//! that was printed in place of an answer by PM203.
//!
//! ## Example
//! ```text
//! ← {"operation": "evaluate_promise", "result": true}
//! ← "kept"
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (responses must
//! include operation and result) and "JSON protocol". cf-agent 3.21.0 crashes
//! on a list or `null`, and takes a number for its digits.

use crate::offer::speaks;
use crate::output::{Kind, parts};
use crate::session::{Exchange, Session};
use crate::wire::header::Protocol;
use crate::wire::json::JsonType;
use crate::wire::response::{FieldState, Line, Response};
use crate::wire::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if !speaks(session, exchange, Protocol::Json) || not_ours(exchange, response) {
            continue;
        }
        let broken = broken(response).map(|message| {
            ledger
                .finding(exchange.number, message)
                .expected("an object with the strings `operation` and `result`")
                .graded(exchange.provenance)
        });
        match broken {
            None => ledger.pass(exchange.number),
            Some(finding) => ledger.report(finding),
        }
    }
}

/// Broken JSON (PM205), printed text (PM203), a message too many (PM202).
fn not_ours(exchange: &Exchange, response: &Response) -> bool {
    match &response.json {
        Some(Err(_)) => true,
        Some(Ok(_)) => false,
        None => {
            response.lines.iter().any(Line::is_free_text)
                || parts(exchange.extra(), Protocol::Json)
                    .iter()
                    .any(|part| part.kind == Kind::Answer)
        }
    }
}

fn broken(response: &Response) -> Option<String> {
    let Some(Ok(json)) = &response.json else {
        return Some("the answer holds no JSON object".into());
    };
    if *json != JsonType::Object {
        let found = json.name();
        return Some(format!("the answer is {found} instead of an object"));
    }
    let wrong = |key: &str, value: &Value| {
        let found = value.type_name();
        format!("`{key}` is {found} instead of a string")
    };
    let last = |values: &[Value], key: &str| match values.last() {
        Some(Value::Text(_)) | None => None,
        Some(other) => Some(wrong(key, other)),
    };
    match response.result.state() {
        FieldState::Absent => return Some("the answer has no `result`".into()),
        FieldState::Text(_) => {}
        FieldState::OtherType(value) => return Some(wrong("result", value)),
        FieldState::Doubled(values) => {
            if let Some(message) = last(values, "result") {
                return Some(message);
            }
        }
    }
    last(&response.operation.values, "operation")
}
