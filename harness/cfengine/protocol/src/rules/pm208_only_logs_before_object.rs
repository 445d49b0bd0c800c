//! # JSON: before the object stand log lines alone, after it nothing
//!
//! ## What it requires
//! In the JSON protocol a message is any number of lines `log_<level>=<text>`,
//! then one object on a line of its own, then the empty line.
//!
//! ## Why
//! Other keys on lines of their own are lost. Log lines after the object belong
//! to no answer, and a second object makes two answers of one.
//!
//! ## How it is judged
//! On every answer with a valid object: other keys and values on their own
//! lines, a log line without `=` or without its line feed, log lines and
//! further objects after the object, text right behind it. Free text is PM203.
//!
//! ## Example
//! ```text
//! ← {"operation": "evaluate_promise", "result": "repaired"}
//! ← log_info=Wrote the file
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Example response in JSON based protocol"
//! (log messages must be before the JSON message). cf-agent 3.21.0 accepts them
//! behind it, and takes the last of two objects.

use crate::session::Session;
use crate::wire::header::Protocol;
use crate::wire::response::{LineKind, Place, Response};
use crate::words::{cut, visible};
use std::ops::Range;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if response.protocol != Protocol::Json || !matches!(response.json, Some(Ok(_))) {
            continue;
        }
        let Some((what, range)) = broken(response) else {
            ledger.pass(exchange.number);
            continue;
        };
        let quote = response.bytes(&range);
        let finding = ledger
            .finding(
                exchange.number,
                format!("{what}: `{}`", cut(&visible(quote), 80)),
            )
            .expected("log lines, then the object, then an empty line")
            .quote(quote)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn broken(response: &Response) -> Option<(&'static str, Range<usize>)> {
    let object = response.object.as_ref()?;
    if let Some(extra) = response.extra_objects.first() {
        return Some(("a second object in one answer", extra.clone()));
    }
    for line in response.lines.iter().filter(|line| !line.is_free_text()) {
        let range = line.range.clone();
        match (&line.kind, line.place) {
            (LineKind::KeyValue { .. }, _) => {
                return Some(("a key outside the answer's object", range));
            }
            (LineKind::Log, Place::After) => {
                return Some(("a log line after the object", range));
            }
            (LineKind::Log, _) if !response.bytes(&range).contains(&b'=') => {
                return Some(("a log line without `=`", range));
            }
            _ => {}
        }
    }
    let glued = object.glued_before.clone();
    if let Some(glued) = glued.filter(|glued| response.bytes(glued).starts_with(b"log_")) {
        return Some(("no line end between a log line and the object", glued));
    }
    // A bracket too many is PM205.
    let after = object.glued_after.clone()?;
    let first = response.bytes(&after).first().copied()?;
    (!b"}])>,;:\"'".contains(&first)).then_some(("text behind the object", after))
}
