//! # `get` returns hashes with symbols as keys
//!
//! ## What it requires
//! `get` returns an enumerable of hashes whose keys are symbols.
//!
//! ## Why
//! The runtime looks attributes up by symbols. It does not find strings, and considers the resource
//! absent.
//!
//! ## How it is judged
//! - Judged: the result of each call of `get`.
//!
//! ## Example
//! `[{ 'name' => 'a' }]` has a string as a key.
//!
//! ## How to fix
//! Return `[{ name: 'a', ensure: 'present' }]`; for nothing, return `[]`.
//!
//! ## Source
//! Resource API specification, "Resource implementation". puppet-resource_api 1.8.16 raises
//! NoMethodError for nil, and considers rows with other keys absent.

use crate::message::Answer;
use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    if session.is_spoilt() {
        return;
    }
    for (call, answer) in session.calls(phase::GET) {
        if !matches!(answer, Answer::Result(_)) {
            continue;
        }
        let broken = match answer.value("value") {
            None => Some("the value cannot be read".to_owned()),
            Some(Value::Array(rows)) => rows.iter().find_map(row),
            Some(other) => Some(format!(
                "`get` returned {}",
                class(answer.text("class"), &other)
            )),
        };
        ledger.check(call.number, call.provenance, broken);
    }
}

fn class(told: Option<String>, value: &Value) -> String {
    let class = told.unwrap_or_else(|| value.class().to_owned());
    match class.as_str() {
        "NilClass" => "nil".to_owned(),
        class => format!("a value of class {class}"),
    }
}

fn row(row: &Value) -> Option<String> {
    let Some(members) = row.as_hash() else {
        return Some(format!("a row is of class {}, not a hash", row.class()));
    };
    let key = members.iter().find(|(key, _)| key.as_symbol().is_none());
    key.map(|(key, _)| format!("a row has the key {}, which is no symbol", key.inspect()))
}
