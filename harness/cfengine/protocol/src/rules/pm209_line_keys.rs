//! # Line protocol: every line is a key of small letters and underscores, `=`, a value
//!
//! ## What it requires
//! Every line of an answer has an `=`. What stands before the first one is the
//! key: at least one character, small letters and underscores alone.
//!
//! ## Why
//! Other lines are no part of the protocol: the agent reports them, or passes
//! over a result whose key is spelled `Result` or followed by a blank.
//!
//! ## How it is judged
//! On every answer in the line protocol. Keys copied from the request are
//! excepted, since agents do send attributes with capitals and digits. A line
//! with blanks and without `=` is PM203 as well. Names of log levels are PM501.
//!
//! ## Example
//! ```text
//! ← operation=validate_promise
//! ← Result=valid
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol". cf-agent 3.21.0 reports
//! a line without `=`, and accepts any key.

use crate::offer::speaks;
use crate::session::{Exchange, Session};
use crate::wire::header::Protocol;
use crate::wire::response::{LineKind, Response, is_well_formed_key};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if !speaks(session, exchange, Protocol::Line) || response.lines.is_empty() {
            continue;
        }
        let Some((message, quote)) = broken(exchange, response) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, message)
            .expected("key=value, the key of small letters and underscores")
            .quote(&quote)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn broken(exchange: &Exchange, response: &Response) -> Option<(String, Vec<u8>)> {
    response.lines.iter().find_map(|line| {
        let bytes = response.bytes(&line.range);
        let without = || {
            Some(format!(
                "a line without `=`: `{}`",
                cut(&visible(bytes), 80)
            ))
        };
        let message = match &line.kind {
            LineKind::Text => without(),
            LineKind::Log if !bytes.contains(&b'=') => without(),
            LineKind::KeyValue { key, .. } if key.is_empty() => Some(format!(
                "a line without a key: `{}`",
                cut(&visible(bytes), 80)
            )),
            LineKind::KeyValue { key, .. }
                if !is_well_formed_key(key) && !is_copied(key, exchange) =>
            {
                Some(format!("the key `{}` in an answer", cut(&visible(key), 60)))
            }
            _ => None,
        }?;
        Some((message, bytes.to_vec()))
    })
}

/// Does a line of the request have this key?
fn is_copied(key: &[u8], exchange: &Exchange) -> bool {
    exchange.sent.split(|byte| *byte == b'\n').any(|line| {
        line.strip_prefix(key)
            .is_some_and(|rest| rest.starts_with(b"="))
    })
}
