//! # JSON: the answer is an object whose `operation` and `result` are strings
//!
//! ## What it requires
//! In the JSON protocol, the module answers with a JSON object that has a `result`, and
//! `result` and `operation` are strings.
//!
//! ## Why
//! Without a result, the agent does not know the promise's outcome. It misreads values of
//! other types.
//!
//! ## How it is judged
//! - Judged: every answer in the JSON protocol that is valid JSON, or that contains nothing
//!   like JSON.
//! - Not judged: which result it is (PM401, PM402, PM403); a missing `operation` (PM301);
//!   broken JSON (PM205); text that is printed instead of an answer (PM203); the `operation`
//!   of an answer that refuses a request that is no valid JSON.
//!
//! ## Example
//! A module answers `{"operation": "evaluate_promise", "result": true}` or `"kept"`.
//!
//! ## How to fix
//! Send an object, and its result as one of the protocol's words:
//! - Python: `json.dumps({"operation": operation, "result": "kept" if fine else "not_kept"})`
//! - A function without `return` gives `None`, which becomes `null`: end each path with a
//!   result.
//! - CFEngine's Python library: `return Result.KEPT`, not `True`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (responses must include
//! operation and result) and "JSON protocol". cf-agent crashes on `null`, 3.21.0 also on a list
//! with items. It reads a number as its digits.

use crate::narrower;
use crate::offer::speaks;
use crate::output::{Kind, parts};
use crate::reads::ANSWERS;
use crate::session::{Exchange, Session};
use crate::wire::Value;
use crate::wire::header::Protocol;
use crate::wire::json::JsonType;
use crate::wire::response::{FieldState, Line, Response};
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

/// No object and no other value.
const NO_OBJECT: Variant = Variant::new("no-object");
/// Another value than an object.
const OTHER_VALUE: Variant = Variant::new("not-an-object");
/// No `result` in the object.
const NO_RESULT: Variant = Variant::new("no-result");
/// A key has a value that is not a string.
const NOT_A_STRING: Variant = Variant::new("not-a-string");

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if !speaks(session, exchange, Protocol::Json) || not_ours(exchange, response) {
            continue;
        }
        let unread = narrower::is_unread(session, exchange);
        let broken = broken(response, unread).map(|defect| {
            ledger
                .finding(exchange.number, defect)
                .expected("an object with the strings `operation` and `result`")
                .graded(exchange.provenance)
        });
        match broken {
            None => ledger.pass(exchange.number),
            Some(finding) => ledger.report(finding),
        }
    }
}

/// Is this broken JSON (PM205), printed text (PM203) or an extra message (PM202)?
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

fn broken(response: &Response, unread: bool) -> Option<Defect> {
    let Some(Ok(json)) = &response.json else {
        return Some(NO_OBJECT.says("the answer contains no JSON object"));
    };
    if *json != JsonType::Object {
        let found = json.name();
        return Some(OTHER_VALUE.says(format!("the answer is {found} instead of an object")));
    }
    let wrong = |key: &str, value: &Value| {
        let found = value.type_name();
        NOT_A_STRING.says(format!("`{key}` is {found} instead of a string"))
    };
    let last = |values: &[Value], key: &str| match values.last() {
        Some(Value::Text(_)) | None => None,
        Some(other) => Some(wrong(key, other)),
    };
    match response.result.state() {
        FieldState::Absent => return Some(NO_RESULT.says("the answer has no `result`")),
        FieldState::Text(_) => {}
        FieldState::OtherType(value) => return Some(wrong("result", value)),
        FieldState::Doubled(values) => {
            if let Some(defect) = last(values, "result") {
                return Some(defect);
            }
        }
    }
    // Whoever could not read the request does not know its operation.
    if unread {
        return None;
    }
    last(&response.operation.values, "operation")
}
