//! # JSON: no object contains the same key twice
//!
//! ## What it requires
//! No object of an answer, at any depth, contains the same key more than once.
//!
//! ## Why
//! RFC 8259 does not say which of the values counts. An agent may read `kept` while a log
//! collector reads `repaired`.
//!
//! ## How it is judged
//! - Judged: every answer that is a JSON object.
//! - Not judged: an echoed attribute that the request contains twice; keys inside the value of
//!   an echoed attribute.
//!
//! ## Example
//! ```text
//! ← {"operation": "evaluate_promise", "result": "kept", "result": "repaired"}
//! ```
//!
//! ## How to fix
//! Build the answer as a map, and serialise it once. If a value changes, assign it again:
//! `answer["result"] = "repaired"`.
//! - cJSON: `cJSON_ReplaceItemInObject` instead of a second `cJSON_AddStringToObject`.
//! - Shell: build it with one call of `jq -cn`, not by appending texts.
//!
//! ## Source
//! RFC 8259, section 4. cf-agent uses the last value.

use crate::reads::ANSWERS;
use crate::session::{Exchange, Session};
use crate::wire::json::JsonType;
use crate::wire::response::Duplicate;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if !matches!(response.json, Some(Ok(JsonType::Object))) {
            continue;
        }
        let doubled = response
            .duplicates
            .iter()
            .find(|duplicate| !is_echo(duplicate, exchange));
        let Some(doubled) = doubled else {
            ledger.pass(exchange.number);
            continue;
        };
        let key = doubled.path.last().map(Vec::as_slice).unwrap_or_default();
        let path: Vec<String> = doubled.path.iter().map(|key| visible(key)).collect();
        let finding = ledger
            .finding(
                exchange.number,
                format!(
                    "the key `{}` appears {} times in the answer",
                    cut(&path.join("."), 60),
                    doubled.count
                ),
            )
            .expected("every key once")
            .quote(key)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

/// Does the request contain the attribute twice, or is the key inside its value?
fn is_echo(duplicate: &Duplicate, exchange: &Exchange) -> bool {
    let [object, attribute, ..] = &duplicate.path[..] else {
        return false;
    };
    object == b"attributes"
        && exchange.request.as_ref().is_some_and(|request| {
            let of_name = request
                .attributes
                .iter()
                .flatten()
                .filter(|(name, _)| name == attribute);
            of_name.count() > 1 || duplicate.path.len() > 2
        })
}
