//! # Values arrive unchanged inside
//!
//! ## What it requires
//! `=` (also at the end), backslashes, `$`, quotes, `%`, commas and other
//! characters that some language treats specially arrive as they were sent, in
//! JSON also newlines and tabs. Lists keep their order.
//!
//! ## Why
//! A module that splits a line at each `=`, or reads it with backslashes still
//! active, writes something else than the policy says, and nothing tells.
//!
//! ## How it is judged
//! Each text value, the first text of each list or object, and the promiser of the
//! author's examples is sent again with such text around it, and as `0` and `true`, which
//! are texts like others. Judged is what can be seen. Where the plain run echoed the value,
//! the echo has to be the value that was sent. Where it stood in a file that the plain run
//! wrote, in a path (unless it has other marks, to which a promise type may give a meaning)
//! or in a link target, the changed value has to stand there, as it is or escaped as a
//! file's format asks (JSON, shells, Python, Ruby, YAML, XML, percent encoding, doubled
//! quotes). Where a log message named it, the same message has to name the changed value;
//! there `=`, commas, letters and blanks alone are judged, since messages may quote.
//! Promises that are turned away or cannot be kept are not judged, but for two: with a
//! blank in the last name of a path that it is about, a promise that is `valid` and
//! otherwise kept or repaired is not `not_kept`; and `0` is not turned away in the words for
//! an attribute that is left out, where `42` is `valid`. Nor are values judged that another value
//! contains or that are numbers or switches. An echoed list has to have its items in the
//! order of the request. Runs of blanks that become one are a should, a newline at the end
//! that is lost is advice. Characters beyond ASCII are PM905, blanks at the edges PM912.
//!
//! ## Example
//! A shell module reads `IFS== read -r key value`; of `attribute_text=a=` it
//! keeps `a`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol" (what stands after the
//! first `=` is the value) and "JSON protocol" (lists, containers, strings with
//! newlines and tabs).

use stickler_judge::{Relation, Variation};
use crate::phase;
use crate::carried;
use crate::output::in_time;
use crate::partner::{self, at};
use crate::session::{Exchange, Session};
use crate::wire::{Encode as _, Style, Value};
use crate::words::visible;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[
    Check::Group(&[Relation::Text], texts),
    Check::Group(&[Relation::Text], blanks),
    Check::Session(lists),
    Check::Session(zeros),
];

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
            let promise = variant.promise(exchange);
            let Some(promise) = promise.filter(|p| p.variation == Some(Variation::Spaced)) else {
                continue;
            };
            let plain = partner::plain(baseline, promise, phase::EVALUATE);
            let fine = |exchange: &Exchange| exchange.is("kept") || exchange.is("repaired");
            let Some(plain) = plain.filter(|plain| fine(plain)) else {
                continue;
            };
            let mut validations = variant.validations();
            let valid = validations.any(|v| v.promise == exchange.promise && v.is("valid"));
            let place = at(index, exchange);
            if fine(exchange) {
                ledger.passes.push(place);
            } else if valid && exchange.is("not_kept") {
                let finding = ledger
                    .finding_at(place, "`not_kept`, with a blank in the name of its file")
                    .expected("`invalid`, or the outcome that it has without")
                    .quote(b"not_kept")
                    .graded(exchange.provenance)
                    .also(at(base_index, plain));
                ledger.report(finding);
            }
        }
    }
}

/// A `0` that is turned away, with the words for an attribute that is left out.
fn zeros(session: &Session, ledger: &mut Ledger) {
    let of = |field: &str, kind: Variation, end: &str| {
        session.validations().find(|exchange| {
            session.promise(exchange).is_some_and(|promise| {
                promise.variation == Some(kind)
                    && promise.field.as_deref() == Some(field)
                    && promise.label.ends_with(end)
            })
        })
    };
    for zero in session.validations() {
        let Some(promise) = session.promise(zero) else {
            continue;
        };
        let field = promise.field.as_deref().unwrap_or_default();
        if promise.variation != Some(Variation::String) || !promise.label.ends_with(":zero") {
            continue;
        }
        let (Some(number), Some(without)) =
            (of(field, Variation::String, ":number"), of(field, Variation::Drop, ""))
        else {
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
                format!("\"{field}\" is \"0\": turned away as where it is left out"),
            )
            .expected("`valid`, as with \"42\"")
            .graded(zero.provenance);
        ledger.report(finding);
    }
}

/// Lists that are echoed with the same items in another order.
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
            let echo = response
                .attributes()
                .rfind(|(echoed, _)| echoed == name);
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
            let finding = ledger
                .finding(
                    exchange.number,
                    format!("the list `{}` comes in another order", visible(name)),
                )
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
