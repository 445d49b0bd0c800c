//! # Echoed `attributes` are the request's
//!
//! ## What it requires
//! If the module repeats `attributes` in an answer, each has the name and the value that it
//! has in the request.
//!
//! ## Why
//! The echo is for people who read the conversation. Converted values ("yes" to `true`, a list
//! to a string) hide what the request contained.
//!
//! ## How it is judged
//! - Judged: answers to validations and evaluations that repeat attributes. This is advice,
//!   since libraries convert values. If cf-agent sends `ä` as two escapes (PM905), `ä` passes,
//!   too.
//! - Not judged: attributes that the answer leaves out; the order of an object's members;
//!   objects with two members of one name; unusual text (PM905, PM906, PM910, PM912); an answer
//!   that refuses a request that is no valid JSON.
//!
//! ## Example
//! The request contains `"mode": "0644"`, the answer `"mode": 420`.
//!
//! ## How to fix
//! Copy the attributes from the request as they arrived, and convert other variables. Or
//! leave them out of the answer.
//! - CFEngine's Python library echoes converted values: declare the attribute as `str`, and
//!   convert it in `evaluate_promise`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (promiser and attributes are
//! typically added). cf-agent does not read the echo.

use crate::ending::out_of_step;
use crate::meant;
use crate::narrower;
use crate::output::is_variant;
use crate::phase;
use crate::reads::ANSWERS;
use crate::relation;
use crate::session::{Exchange, Session};
use crate::wire::{Encode as _, Request, Style, Value};
use crate::words::{cut, shown, visible};
use std::collections::BTreeSet;
use stickler_judge::{Check, Defect, Ledger, Variant};
use stickler_transcript::Variation;

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

/// An attribute that was not sent.
const ADDED: Variant = Variant::new("added");
/// Another value of the same type.
const OTHER_VALUE: Variant = Variant::new("other-value");
/// A value of another type.
const OTHER_TYPE: Variant = Variant::new("other-type");

fn check(session: &Session, ledger: &mut Ledger) {
    // PM311 judges what unknown keys do to an echo.
    if is_variant(session, &[relation::KEYS]) {
        return;
    }
    for (exchange, response) in session.responses() {
        let (phase::VALIDATE | phase::EVALUATE, Some(request)) =
            (exchange.phase, &exchange.request)
        else {
            continue;
        };
        if out_of_step(session, exchange) || narrower::is_unread(session, exchange) {
            continue;
        }
        let mut compared = 0;
        let mut wrong = None;
        for (name, value) in response.attributes() {
            if is_probe(session, exchange, name) {
                continue;
            }
            compared += 1;
            // A module may decode what arrived as one character for each byte.
            let decoded = || {
                session.gets_bytes(exchange)
                    && request.attribute(name).map(meant::value).as_ref() == Some(value)
            };
            wrong =
                wrong.or_else(|| difference(session, request, name, value).filter(|_| !decoded()));
        }
        match wrong {
            Some(defect) => {
                let finding = ledger
                    .finding(exchange.number, defect)
                    .expected("the attributes of the request, or none")
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
            None if compared > 0 => ledger.pass(exchange.number),
            None => {}
        }
    }
}

fn difference(session: &Session, request: &Request, name: &[u8], echo: &Value) -> Option<Defect> {
    let name_shown = cut(&visible(name), 40);
    let words = |value: &Value| match value {
        Value::Text(text) => shown(text, session.case(), 60),
        other => shown(&other.encode(Style::Agent), session.case(), 60),
    };
    let Some(asked) = request.attribute(name) else {
        return Some(ADDED.says(format!(
            "attribute `{name_shown}` comes back, but the request does not have it"
        )));
    };
    if !is_text(asked) || same(asked, echo) {
        return None;
    }
    Some(if asked.type_name() == echo.type_name() {
        OTHER_VALUE.says(format!(
            "attribute `{name_shown}` comes back as `{}` instead of `{}`",
            words(echo),
            words(asked)
        ))
    } else {
        OTHER_TYPE.says(format!(
            "attribute `{name_shown}` comes back as {} instead of {}",
            echo.type_name(),
            asked.type_name()
        ))
    })
}

/// Is this attribute sent to see whether text survives?
fn is_probe(session: &Session, exchange: &Exchange, name: &[u8]) -> bool {
    session.item(exchange).is_some_and(|promise| {
        promise.field.as_deref().map(str::as_bytes) == Some(name)
            && matches!(
                promise.variation,
                Some(
                    Variation::Text
                        | Variation::Control
                        | Variation::Surrogate
                        | Variation::Huge
                        | Variation::Canary
                        | Variation::Escape
                )
            )
    })
}

/// Can the value come back unchanged in valid UTF-8, whatever library reads it?
fn is_text(value: &Value) -> bool {
    match value {
        Value::Text(text) => std::str::from_utf8(text).is_ok(),
        Value::List(items) => items.iter().all(is_text),
        Value::Object(members) => {
            let names: BTreeSet<&[u8]> = members.iter().map(|(name, _)| &name[..]).collect();
            // Which of two members with one name counts is not defined (RFC 8259, section 4).
            names.len() == members.len()
                && members
                    .iter()
                    .all(|(name, value)| std::str::from_utf8(name).is_ok() && is_text(value))
        }
        Value::Number(_) | Value::Bool(_) | Value::Null => true,
    }
}

/// The same value, whatever the order of an object's members.
fn same(asked: &Value, echo: &Value) -> bool {
    match (asked, echo) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, value)| {
                    b.iter()
                        .any(|(other, echo)| name == other && same(value, echo))
                })
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        // Numbers may be equal although they are written differently.
        (Value::Number(a), Value::Number(b)) => {
            a == b
                || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a.to_bits() == b.to_bits())
        }
        _ => asked == echo,
    }
}
