//! # Line protocol: values hold no NUL and no newline
//!
//! ## What it requires
//! No value of an answer, log messages included, has a zero byte or a line feed
//! in it.
//!
//! ## Why
//! A NUL ends the text for the agent: what follows on the line is lost, and a
//! line that begins with one ends the whole answer.
//!
//! ## How it is judged
//! On every answer in the line protocol, and on log lines in the JSON protocol,
//! which have the same syntax. A line feed in a value can't be told from the
//! beginning of a further line: PM203 and PM209 report what follows it. Inside
//! a JSON object a raw NUL is PM205.
//!
//! ## Example
//! A module logs the output of `find -print0`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol".

use crate::offer::speaks;
use crate::session::Session;
use crate::wire::header::Protocol;
use crate::wire::response::{LineKind, Response};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let line_based = speaks(session, exchange, Protocol::Line);
        // A request with a NUL may be answered with it.
        if exchange.sent.contains(&0) || !line_based && response.protocol == Protocol::Line {
            continue;
        }
        let Some(line) = with_nul(response, line_based) else {
            if line_based && !response.lines.is_empty() {
                ledger.pass(exchange.number);
            }
            continue;
        };
        let finding = ledger
            .finding(
                exchange.number,
                format!("a NUL in the line `{}`", cut(&visible(line), 80)),
            )
            .expected("text without NUL")
            .quote(line)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn with_nul(response: &Response, any_line: bool) -> Option<&[u8]> {
    response.nul?;
    response
        .lines
        .iter()
        .filter(|line| any_line || line.kind == LineKind::Log)
        .map(|line| response.bytes(&line.range))
        .find(|line| line.contains(&0))
}
