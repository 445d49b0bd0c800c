//! # No request holds an unresolved variable
//!
//! ## What it requires
//! Neither promiser nor attributes hold `$(` or `${`.
//!
//! ## Why
//! A module would take the text for a name, and make a file `$(dir)/x`.
//!
//! ## How it is judged
//! On each validation and evaluation; names of attributes, lists and containers
//! count too. A dollar sign by itself is text.
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", "promiser": "$(home)/.profile", …}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use crate::wire::Value;
use crate::words::contains;

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
            Some(what) => ledger.report(
                ledger.finding(exchange.number, format!("{what} holds an unresolved variable")),
            ),
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
