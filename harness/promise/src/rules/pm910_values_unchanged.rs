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
//! are texts like others. Judged is what can be seen. Where the plain run echoed the value, the echo has to be the value that was sent. Where it stood in a
//! file that the plain run wrote, in a path (unless it has other marks, to which
//! a promise type may give a meaning) or in a link target, the changed value has
//! to stand there, as it is or escaped as a file's format asks (JSON,
//! shells, Python, Ruby, YAML, XML, percent encoding, doubled quotes). Where a
//! log message named it, the same message has to name the changed value; there
//! `=`, commas, letters and blanks alone are judged, since messages may quote.
//! Promises that are turned away or cannot be kept are not judged, nor are
//! values that another value contains or that are numbers or switches. An
//! echoed list has to have its items in the order of the request. Runs of
//! blanks that become one are a should, a newline at the end that is lost is advice. Characters
//! beyond ASCII are PM905, blanks at the edges PM912.
//!
//! ## Example
//! A shell module reads `IFS== read -r key value`; of `attribute_text=a=` it
//! keeps `a`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol" (what stands after the
//! first `=` is the value) and "JSON protocol" (lists, containers, strings with
//! newlines and tabs).

use crate::carried;
use crate::output::in_time;
use crate::session::Session;
use crate::wire::value::{Style, Value};
use crate::words::visible;
use stickler_judge::{Check, Group, Ledger};
use stickler_transcript::Phase;

pub(super) const CHECKS: super::Checks = &[Check::Group(&["text"], texts), Check::Session(lists)];

fn texts(group: &Group<'_, Session>, ledger: &mut Ledger) {
    carried::judge(group, ledger, |value| {
        value.kind == "text" && !value.is_beyond_ascii()
    });
}

/// Lists that are echoed with the same items in another order.
fn lists(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        if !matches!(exchange.phase, Phase::Validate | Phase::Evaluate) || !in_time(exchange) {
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
                .attributes
                .iter()
                .flatten()
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
