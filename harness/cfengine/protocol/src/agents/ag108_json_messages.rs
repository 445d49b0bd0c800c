//! # JSON: a request is one line of valid JSON and UTF-8
//!
//! ## What it requires
//! Where the module asked for the JSON based protocol, a message is one JSON object
//! on one line, valid JSON and UTF-8, newlines in texts escaped, and then an empty
//! line.
//!
//! ## Why
//! A module that reads a line and parses it stops with a traceback on anything
//! else.
//!
//! ## How it is judged
//! On each message after the header.
//!
//! ## Example
//! cf-agent 3.21.0 sends control bytes and bytes that are no UTF-8 as they are.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use crate::wire::{Protocol, json};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in view::messages(session, Protocol::Json) {
        match broken(&exchange.sent) {
            None => ledger.pass(exchange.number),
            Some(message) => ledger.report(ledger.finding(exchange.number, message)),
        }
    }
}

fn broken(sent: &[u8]) -> Option<String> {
    let Some(line) = sent.strip_suffix(b"\n\n") else {
        return Some("no empty line ends the message".into());
    };
    if line.contains(&b'\n') {
        return Some("the message has more than one line".into());
    }
    if std::str::from_utf8(line).is_err() {
        return Some("the message is not UTF-8".into());
    }
    match json::parse(line) {
        Ok(value) if value.as_object().is_some() => None,
        Ok(_) => Some("the message is no object".into()),
        Err(error) => Some(format!("the message is no valid JSON: {error}")),
    }
}
