//! # Line based: texts without newlines alone, under well-formed keys
//!
//! ## What it requires
//! Where the module asked for the line based protocol, a message consists of lines
//! of a key, `=` and a value, and an empty line. Keys consist of small letters and
//! underscores; attributes stand under `attribute_` and their name. Lists,
//! containers and texts with newlines are not sent.
//!
//! ## Why
//! A newline in a value begins a new line, and two of them a new message: whoever
//! writes the value then writes requests.
//!
//! ## How it is judged
//! On each message after the header. A line without `=`, a key that is malformed,
//! unknown or there twice, and a zero byte are reported: a value with a newline
//! shows so.
//!
//! ## Example
//! ```text
//! → attribute_text=first line
//! → second line
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol". cf-agent 3.21.0 sends such values, and names with capitals.

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use crate::wire::Protocol;
use std::collections::BTreeSet;

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in view::messages(session, Protocol::Line) {
        match broken(&exchange.sent) {
            None => ledger.pass(exchange.number),
            Some(message) => ledger.report(ledger.finding(exchange.number, message)),
        }
    }
}

/// Keys beside attributes.
const KEYS: [&[u8]; 6] = [
    b"operation",
    b"log_level",
    b"promise_type",
    b"promiser",
    b"line_number",
    b"filename",
];

fn broken(sent: &[u8]) -> Option<String> {
    let Some(lines) = sent.strip_suffix(b"\n\n") else {
        return Some("no empty line ends the message".into());
    };
    if lines.contains(&0) {
        return Some("the message holds a zero byte".into());
    }
    let mut seen = BTreeSet::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let shown = crate::words::cut(&crate::words::visible(line), 60);
        let Some(equals) = line.iter().position(|byte| *byte == b'=') else {
            return Some(format!("a line without `=`: `{shown}`"));
        };
        let key = &line[..equals];
        let formed = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
        if key.is_empty() || !key.iter().all(formed) {
            return Some(format!("a key that is not of small letters and underscores: `{shown}`"));
        }
        if !KEYS.contains(&key) && !key.starts_with(b"attribute_") {
            return Some(format!("a key that no request has: `{shown}`"));
        }
        if !seen.insert(key) {
            return Some(format!("a key that is there twice: `{shown}`"));
        }
    }
    None
}
