//! # The agent sends no unresolved variables
//!
//! ## What it requires
//! Neither the promiser nor the attributes contain `$(` or `${`.
//!
//! ## Why
//! A module takes the text literally, and creates a file `$(dir)/x`.
//!
//! ## How it is judged
//! - Judged: each validation and evaluation, also in attribute names, lists and containers.
//! - Not judged: a dollar sign without a bracket, which is plain text.
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", "promiser": "$(home)/.profile", …}
//! ```
//!
//! ## How to fix
//! Expand all variables first, also in names, lists and containers. If a text still contains
//! `$(` or `${`, send nothing, and try again in the next pass. After the last pass, fail the
//! promise (AG118).
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use super::view;
use crate::session::Session;
use crate::wire::Value;
use crate::words::contains;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, request) in view::requests(session) {
        let promiser = request.promiser.iter().any(|text| unresolved(text));
        let mut attributes = request.attributes.iter().flatten();
        let found = if promiser {
            Some("the promiser".to_owned())
        } else {
            attributes
                .find(|(name, value)| unresolved(name) || holds(value))
                .map(|(name, _)| format!("the attribute `{}`", crate::words::visible(name)))
        };
        match found {
            None => ledger.pass(exchange.number),
            Some(what) => ledger.report(ledger.finding(
                exchange.number,
                format!("{what} contains an unresolved variable"),
            )),
        }
    }
}

fn unresolved(text: &[u8]) -> bool {
    contains(text, b"$(") || contains(text, b"${")
}

fn holds(value: &Value) -> bool {
    match value {
        Value::Text(text) => unresolved(text),
        Value::List(items) => items.iter().any(holds),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| unresolved(name) || holds(value)),
        Value::Number(_) | Value::Bool(_) | Value::Null => false,
    }
}
