//! # Line protocol: the agent sends only texts without newlines, under well-formed keys
//!
//! ## What it requires
//! In the line protocol each message consists of lines `key=value` (`attribute_name=value` for
//! attributes) and an empty line, without lists, containers or texts with newlines.
//!
//! ## Why
//! A newline in a value begins a new line, and two begin a new message. Whoever writes the
//! value can then write requests.
//!
//! ## How it is judged
//! - Judged: each message after the header. Findings are a line without `=`, a NUL byte, and a
//!   key that is unknown, listed twice or not of small letters and underscores.
//! - Not judged: the last message of an incomplete transcript.
//!
//! ## Example
//! ```text
//! → attribute_text=first line
//! → second line
//! ```
//!
//! ## How to fix
//! Check each key and value before you send it. Fail the promise with an error if:
//! - a value is a list or a container, or contains a newline or a NUL byte,
//! - an attribute's name has other characters than small letters and underscores.
//!
//! The error tells the user that such values need a module with `json_based`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol". cf-agent sends texts with newlines
//! and names with capitals, and for a container what is in its memory.

use super::view;
use crate::session::Session;
use crate::wire::Protocol;
use std::collections::BTreeSet;
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// No empty line at the end.
const NO_EMPTY_LINE: Variant = Variant::new("no-empty-line");
/// A NUL.
const NUL: Variant = Variant::new("nul");
/// A line without `=`.
const NO_EQUALS: Variant = Variant::new("no-equals");
/// Other characters in a key.
const BAD_KEY: Variant = Variant::new("bad-key");
/// A key that modules do not know.
const UNKNOWN_KEY: Variant = Variant::new("unknown-key");
/// A key twice.
const DOUBLED_KEY: Variant = Variant::new("doubled-key");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in view::messages(session, Protocol::Line) {
        match broken(&exchange.sent) {
            None => ledger.pass(exchange.number),
            Some(defect) => ledger.report(ledger.finding(exchange.number, defect)),
        }
    }
}

/// Keys other than attributes.
const KEYS: [&[u8]; 6] = [
    b"operation",
    b"log_level",
    b"promise_type",
    b"promiser",
    b"line_number",
    b"filename",
];

fn broken(sent: &[u8]) -> Option<Defect> {
    let Some(lines) = sent.strip_suffix(b"\n\n") else {
        return Some(NO_EMPTY_LINE.says("the message does not end with an empty line"));
    };
    if lines.contains(&0) {
        return Some(NUL.says("the message contains a NUL byte"));
    }
    let mut seen = BTreeSet::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let shown = crate::words::cut(&crate::words::visible(line), 60);
        let Some(equals) = line.iter().position(|byte| *byte == b'=') else {
            return Some(NO_EQUALS.says(format!("a line without `=`: `{shown}`")));
        };
        let key = &line[..equals];
        let formed = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
        if key.is_empty() || !key.iter().all(formed) {
            return Some(BAD_KEY.says(format!(
                "a key with other characters than small letters and underscores: `{shown}`"
            )));
        }
        if !KEYS.contains(&key) && !key.starts_with(b"attribute_") {
            return Some(UNKNOWN_KEY.says(format!("an unknown key: `{shown}`")));
        }
        if !seen.insert(key) {
            return Some(DOUBLED_KEY.says(format!("a key is listed twice: `{shown}`")));
        }
    }
    None
}
