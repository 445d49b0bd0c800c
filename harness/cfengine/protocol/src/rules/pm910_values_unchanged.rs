//! # Values arrive unchanged
//!
//! ## What it requires
//! Special characters such as `=`, backslashes, `$`, quotes, `%` and commas arrive as sent, in JSON
//! also newlines and tabs, and lists keep their order.
//!
//! ## Why
//! A module that splits a line at each `=`, or interprets backslashes, writes something other than
//! the policy says. Nothing reports that.
//!
//! ## How it is judged
//! - Judged: the examples' values and promisers with such text added, and as words like `0`,
//!   `true`, `-n`, `~` and `*`. If the plain run and one with another value echo, log or write it,
//!   each must appear, unchanged or escaped. In logs only `=`, commas, letters and blanks count.
//! - Judged: a blank in a file's name does not lead to `not_kept`; a path that is refused is not
//!   logged from its last `=` on; if `42` is `valid`, `0` is not rejected like a missing attribute;
//!   an echoed list has the order of the request.
//! - Not judged: other rejected or failed promises; values that are short, numbers, switches or in
//!   another value; other punctuation in paths; non-ASCII (PM905); edges (PM912).
//! - Lowered to should: several blanks become one. To may: a lost last newline, changed CRLF.
//!
//! ## Example
//! `IFS== read -r key value` reads `a` from `attribute_text=a=`.
//!
//! ## How to fix
//! Split at the first `=` only, and print values unchanged.
//! - Shell: `IFS= read -r line`, `value=${line#*=}`, `printf '%s\n' "$value"`, always quoted. No
//!   `echo`, `awk -v` or value in a `sed` script.
//! - Python: `line.partition("=")`, `if value is None`. Perl: `split /=/, $line, 2`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol" and "JSON protocol".

use crate::carried;
use crate::compare::UsedAnswer;
use crate::naming::{named, text_of};
use crate::output::in_time;
use crate::partner::{self, at};
use crate::phase;
use crate::session::{Exchange, Session};
use crate::wire::{Encode as _, Style, Value};
use crate::words::visible;
use stickler_judge::{Check, Group, Ledger, Relation, Variant, Variation};

pub(super) const CHECKS: super::Checks = &[
    Check::Group(&[Relation::TEXT], texts),
    Check::Group(&[Relation::TEXT], blanks),
    Check::Group(&[Relation::TEXT], split),
    Check::Session(&[Relation::FIELDS, Relation::TEXT], lists),
    Check::Session(&[Relation::FIELDS, Relation::TEXT], zeros),
];

/// A blank in a file's name fails.
const BLANK: Variant = Variant::new("blank-in-name");
/// Only what follows the last `=` of a path arrives.
const SPLIT: Variant = Variant::new("split-at-last-equals");
/// `0` is treated as missing.
const ZERO: Variant = Variant::new("zero-rejected");
/// The echo of a list has another order.
const REORDERED: Variant = Variant::new("list-reordered");

fn texts(group: &Group<'_, Session>, ledger: &mut Ledger) {
    carried::judge(group, ledger, |value| {
        value.kind == Some(Variation::Text) && !value.is_beyond_ascii()
    });
}

/// Paths with a blank in them.
fn blanks(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((base_index, baseline)) = group.baseline() else {
        return;
    };
    for (_, index, variant) in group.variants() {
        for exchange in variant.evaluations() {
            let promise = variant.item(exchange);
            let Some(promise) = promise.filter(|p| p.variation == Some(Variation::Spaced)) else {
                continue;
            };
            let plain = partner::plain(baseline, promise, phase::EVALUATE);
            let fine = |exchange: &Exchange| exchange.is("kept") || exchange.is("repaired");
            let Some(plain) = plain.filter(|plain| fine(plain)) else {
                continue;
            };
            let mut validations = variant.validations();
            let valid = validations.any(|v| v.item == exchange.item && v.is("valid"));
            let place = at(index, exchange);
            if fine(exchange) {
                ledger.passes.push(place);
            } else if valid && exchange.is("not_kept") {
                let field = promise.field.as_deref().unwrap_or_default();
                let name = |exchange: &Exchange, case| {
                    let text = text_of(exchange, field)?;
                    Some(named(field, text, case))
                };
                let names = name(exchange, variant.case()).zip(name(plain, baseline.case()));
                let message = match names {
                    Some((blank, usual)) => format!(
                        "{blank} is `not_kept`, and {usual} is {}: the blank in the name matters",
                        UsedAnswer::of(plain).words()
                    ),
                    None => "`not_kept` with a blank in the name of its file".into(),
                };
                let finding = ledger
                    .finding_at(place, BLANK.says(message))
                    .expected("`invalid`, or the outcome without the blank")
                    .quote(b"not_kept")
                    .graded(exchange.provenance)
                    .also(at(base_index, plain));
                ledger.report(finding);
            }
        }
    }
}

/// Paths with a `=` that are refused: the log must not name what follows it for the whole path.
fn split(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((base_index, baseline)) = group.baseline() else {
        return;
    };
    for (_, index, variant) in group.variants() {
        for exchange in &variant.exchanges {
            let Some(promise) = variant.item(exchange) else {
                continue;
            };
            let field = promise.field.as_deref().unwrap_or_default();
            let Some(path) = text_of(exchange, field).filter(|text| text.starts_with(b"/")) else {
                continue;
            };
            let Some(tail) = tail(path).filter(|_| promise.variation == Some(Variation::Text))
            else {
                continue;
            };
            let Some(plain) = partner::plain(baseline, promise, exchange.phase) else {
                continue;
            };
            if exchange.result().is_none() || exchange.result() == plain.result() {
                continue;
            }
            let mut messages = exchange.logs().map(|(_, message)| message);
            let Some(message) = messages.find(|message| names_alone(message, tail)) else {
                ledger.passes.push(at(index, exchange));
                continue;
            };
            let finding = ledger
                .finding_at(
                    at(index, exchange),
                    SPLIT.says(format!(
                        "{} is {}, and the log names only `{}`: the value is split at its last `=`",
                        named(field, path, variant.case()),
                        UsedAnswer::of(exchange).words(),
                        visible(tail)
                    )),
                )
                .expected("the whole path, also in the log of a refusal")
                .quote(message)
                .graded(exchange.provenance)
                .also(at(base_index, plain));
            ledger.report(finding);
        }
    }
}

/// What follows the last `=`, if it is long enough that nothing else looks like it.
fn tail(path: &[u8]) -> Option<&[u8]> {
    let tail = &path[path.iter().rposition(|byte| *byte == b'=')? + 1..];
    (tail.len() >= 6 && !tail.contains(&b'/')).then_some(tail)
}

/// Does a message name this text as a value of its own, and never after a `=`?
fn names_alone(message: &[u8], tail: &[u8]) -> bool {
    let before = |at: usize| message[..at].last().copied();
    let mut places = message
        .windows(tail.len())
        .enumerate()
        .filter(|(_, window)| *window == tail)
        .map(|(at, _)| before(at))
        .peekable();
    places.peek().is_some()
        && places.all(|before| before.is_none_or(|byte| b" \t'\"`([{<:".contains(&byte)))
}

/// A `0` that is rejected with the same messages as a missing attribute.
fn zeros(session: &Session, ledger: &mut Ledger) {
    let of = |field: &str, kind: Variation, end: &str| {
        session.validations().find(|exchange| {
            session.item(exchange).is_some_and(|promise| {
                promise.variation == Some(kind)
                    && promise.field.as_deref() == Some(field)
                    && promise.label.ends_with(end)
            })
        })
    };
    for zero in session.validations() {
        let Some(promise) = session.item(zero) else {
            continue;
        };
        let field = promise.field.as_deref().unwrap_or_default();
        if promise.variation != Some(Variation::String) || !promise.label.ends_with(":zero") {
            continue;
        }
        let (Some(number), Some(without)) = (
            of(field, Variation::String, ":number"),
            of(field, Variation::Drop, ""),
        ) else {
            continue;
        };
        if !number.is("valid") || !without.is("invalid") {
            continue;
        }
        let mut said = zero.logs().map(|(_, message)| message);
        if !zero.is("invalid") || said.next().is_none() || !zero.logs().eq(without.logs()) {
            ledger.pass(zero.number);
            continue;
        }
        let finding = ledger
            .finding(
                zero.number,
                ZERO.says(format!(
                    "`0` for `{field}` is rejected like a missing attribute"
                )),
            )
            .expected("`valid`, as for `42`")
            .graded(zero.provenance);
        ledger.report(finding);
    }
}

/// Lists whose echo has the same items in another order.
fn lists(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        if !matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE) || !in_time(exchange) {
            continue;
        }
        let (Some(request), Some(response)) = (&exchange.request, &exchange.response) else {
            continue;
        };
        for (name, sent) in request.attributes.iter().flatten() {
            let Value::List(sent) = sent else {
                continue;
            };
            let echo = response.attributes().rfind(|(echoed, _)| echoed == name);
            let Some((_, Value::List(echo))) = echo else {
                continue;
            };
            if sent.len() < 2 || !same_items(sent, echo) {
                continue;
            }
            if sent == echo {
                ledger.pass(exchange.number);
                continue;
            }
            let echo = visible(&Value::List(echo.clone()).encode(Style::Spec));
            let message = format!("the list `{}` is echoed in another order", visible(name));
            let finding = ledger
                .finding(exchange.number, REORDERED.says(message))
                .expected("the order of the request")
                .quote(echo.as_bytes())
                .graded(exchange.provenance);
            ledger.report(finding);
        }
    }
}

fn same_items(one: &[Value], other: &[Value]) -> bool {
    let sorted = |items: &[Value]| {
        let mut items: Vec<Vec<u8>> = items.iter().map(|item| item.encode(Style::Agent)).collect();
        items.sort();
        items
    };
    sorted(one) == sorted(other)
}
