//! # JSON: only log lines precede the object, and nothing follows it
//!
//! ## What it requires
//! In the JSON protocol, an answer is any number of lines `log_<level>=<text>`, one object on
//! a line of its own, and the empty line.
//!
//! ## Why
//! The agent ignores other keys outside the object. Log lines after the object belong to no
//! answer, and a second object makes two answers of one.
//!
//! ## How it is judged
//! - Judged: every answer with a valid object: keys with values outside the object; log lines
//!   without `=` or without a line feed; log lines, objects or text right after the object.
//! - Not judged: free text on a line of its own (PM203); brackets and other punctuation right
//!   after the object (PM205).
//!
//! ## Example
//! A module prints its object, and then `log_info=Wrote the file`.
//!
//! ## How to fix
//! Print log lines first, each with its newline. Then print the object, with all keys in it,
//! and the empty line. Print nothing after that.
//! - Python: `print(json.dumps(answer) + "\n", flush=True)` is the last statement of a
//!   request.
//! - A late message: append it to the object's list `log`, before you print the object.
//! - CFEngine's Python library: call `self.log_info(…)` before `evaluate_promise` returns.
//!
//! ## Source
//! CFEngine: Custom promise types, "Example response in JSON based protocol" (log messages must
//! be before the JSON message). cf-agent accepts log lines after the object, and uses the last
//! of two objects.

use crate::reads::ANSWERS;
use crate::session::Session;
use crate::wire::header::Protocol;
use crate::wire::response::{LineKind, Position, Response};
use crate::words::{cut, visible};
use std::ops::Range;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

/// A second object.
const SECOND: Variant = Variant::new("second-object");
/// A key outside of the object.
const OUTSIDE: Variant = Variant::new("key-outside");
/// A log line after the object.
const LOG_AFTER: Variant = Variant::new("log-after-object");
/// A log line without `=`.
const NO_EQUALS: Variant = Variant::new("no-equals");
/// A log line and the object on one line.
const GLUED: Variant = Variant::new("no-line-end");
/// Text right after the object.
const TEXT_AFTER: Variant = Variant::new("text-after-object");

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if response.protocol != Protocol::Json || !matches!(response.json, Some(Ok(_))) {
            continue;
        }
        let Some((variant, what, range)) = broken(response) else {
            ledger.pass(exchange.number);
            continue;
        };
        let quote = response.bytes(&range);
        let finding = ledger
            .finding(
                exchange.number,
                variant.says(format!("{what}: `{}`", cut(&visible(quote), 80))),
            )
            .expected("log lines, then the object, then an empty line")
            .quote(quote)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn broken(response: &Response) -> Option<(Variant, &'static str, Range<usize>)> {
    let object = response.object.as_ref()?;
    if let Some(extra) = response.extra_objects.first() {
        return Some((SECOND, "a second object in one answer", extra.clone()));
    }
    for line in response.lines.iter().filter(|line| !line.is_free_text()) {
        let range = line.range.clone();
        match (&line.kind, line.place) {
            (LineKind::KeyValue { .. }, _) => {
                return Some((OUTSIDE, "a key outside the answer's object", range));
            }
            (LineKind::Log, Position::After) => {
                return Some((LOG_AFTER, "a log line after the object", range));
            }
            (LineKind::Log, _) if !response.bytes(&range).contains(&b'=') => {
                return Some((NO_EQUALS, "a log line without `=`", range));
            }
            _ => {}
        }
    }
    let glued = object.glued_before.clone();
    if let Some(glued) = glued.filter(|glued| response.bytes(glued).starts_with(b"log_")) {
        return Some((
            GLUED,
            "no line end between a log line and the object",
            glued,
        ));
    }
    // PM205 reports an extra bracket.
    let after = object.glued_after.clone()?;
    let first = response.bytes(&after).first().copied()?;
    (!b"}])>,;:\"'".contains(&first)).then_some((TEXT_AFTER, "text right after the object", after))
}
