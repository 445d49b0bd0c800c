//! # JSON: no key stands twice in an object
//!
//! ## What it requires
//! No object of an answer, at any depth, has the same key more than once.
//!
//! ## Why
//! RFC 8259 leaves open which of the values counts. Agents and log collectors
//! may choose differently, so that a promise is `kept` for one of them and
//! `repaired` for the other.
//!
//! ## How it is judged
//! On every answer that is a JSON object. An attribute that the request holds
//! twice may be echoed twice.
//!
//! ## Example
//! ```text
//! ← {"operation": "evaluate_promise", "result": "kept", "result": "repaired"}
//! ```
//!
//! ## Source
//! RFC 8259, section 4. cf-agent 3.21.0 takes the last value.

use crate::session::{Exchange, Session};
use crate::wire::json::JsonType;
use crate::wire::response::Duplicate;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
                    "the key `{}` stands {} times in the answer",
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

/// Does the request hold the attribute twice?
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
