//! # JSON: the agent sends each message as one line of valid JSON and UTF-8
//!
//! ## What it requires
//! If the module asked for JSON, each message is one JSON object in UTF-8 on one line, with
//! escaped newlines, and an empty line.
//!
//! ## Why
//! A module reads a line and parses it. On anything else it exits with a traceback.
//!
//! ## How it is judged
//! - Judged: each message after the header.
//! - Not judged: the last message of an incomplete transcript.
//!
//! ## Example
//! cf-agent 3.21.0 sends control bytes and invalid UTF-8 raw. Since 3.24 it escapes each such
//! byte in values. Names of attributes and keys of containers stay raw before 3.28, quotes and
//! newlines included.
//!
//! ## How to fix
//! Let a JSON library write the object without line breaks, and add `\n\n`. It escapes
//! newlines and control bytes. If a text is not valid UTF-8, send nothing, and fail the
//! promise with an error.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol".

use super::view;
use crate::session::Session;
use crate::wire::{Protocol, json};
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// No empty line at the end.
const NO_EMPTY_LINE: Variant = Variant::new("no-empty-line");
/// More than one line.
const MORE_LINES: Variant = Variant::new("more-lines");
/// Bytes that are not UTF-8.
const ENCODING: Variant = Variant::new("other-encoding");
/// Another value than an object.
const OTHER_VALUE: Variant = Variant::new("not-an-object");
/// It breaks the grammar of JSON.
const GRAMMAR: Variant = Variant::new("bad-grammar");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in view::messages(session, Protocol::Json) {
        match broken(&exchange.sent) {
            None => ledger.pass(exchange.number),
            Some(defect) => ledger.report(ledger.finding(exchange.number, defect)),
        }
    }
}

fn broken(sent: &[u8]) -> Option<Defect> {
    let Some(line) = sent.strip_suffix(b"\n\n") else {
        return Some(NO_EMPTY_LINE.says("the message does not end with an empty line"));
    };
    if line.contains(&b'\n') {
        return Some(MORE_LINES.says("the message has more than one line"));
    }
    if std::str::from_utf8(line).is_err() {
        return Some(ENCODING.says("the message is not UTF-8"));
    }
    match json::parse(line) {
        Ok(value) if value.as_object().is_some() => None,
        Ok(_) => Some(OTHER_VALUE.says("the message is not an object")),
        Err(error) => Some(GRAMMAR.says(format!("the message is not valid JSON: {error}"))),
    }
}
