//! # Line protocol: values contain no NUL and no newline
//!
//! ## What it requires
//! No value of an answer, log messages included, contains a NUL byte or a line feed.
//!
//! ## Why
//! For the agent, a NUL ends the text: the rest of the line is lost. A line that begins with a
//! NUL ends the whole answer.
//!
//! ## How it is judged
//! - Judged: NUL bytes in every answer of the line protocol, and in log lines of the JSON
//!   protocol, which have the same syntax.
//! - Not judged: line feeds, which look like the start of another line: PM203 and PM209 report
//!   what follows.
//! - Not judged: a raw NUL inside a JSON object (PM205); answers to a request that contains a
//!   NUL.
//!
//! ## Example
//! A module logs the output of `find -print0`.
//!
//! ## How to fix
//! Log one message for each file, or replace NUL bytes and line feeds before you print a
//! value:
//! - Python: `text.replace("\0", "?").replace("\n", " ")`. Ruby: `text.tr("\0\n", "? ")`.
//! - Perl: `$text =~ tr/\0\n/? /`. Shell: `find … -print0 | tr '\n\000' '?\n'` gives one line
//!   for each file.
//! - C: replace bytes up to the known length; `strlen` stops at the NUL.
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol".

use crate::offer::speaks;
use crate::reads::ANSWERS;
use crate::session::Session;
use crate::wire::header::Protocol;
use crate::wire::response::{LineKind, Response};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let line_based = speaks(session, exchange, Protocol::Line);
        // The answer may copy a NUL from the request.
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
