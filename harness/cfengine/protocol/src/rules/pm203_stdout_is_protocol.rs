//! # Standard output carries protocol alone
//!
//! ## What it requires
//! Everything on standard output is a protocol message: no output of programs
//! that the module runs, no prints, no prompts, no line ends inside a log
//! message.
//!
//! ## Why
//! What is printed there lands in the middle of an answer. The agent reports an
//! invalid line, loses the answer, or takes a printed empty line for its end.
//!
//! ## How it is judged
//! On every line between the module's header and its end. In the JSON protocol
//! a line is free text when it is no log line, no JSON object and no key with a
//! value (that one is PM208); text on the same line before the object counts
//! too. In the line protocol it is a line with blanks and without `=` (any other
//! odd line is PM209). Lines of an answer that is broken JSON are PM205.
//!
//! ## Example
//! ```text
//! ← Cloning into '/opt/x'...
//! ← {"operation": "evaluate_promise", "result": "repaired"}
//! ```
//! The output of `git` was not redirected.
//!
//! ## Source
//! CFEngine: Custom promise types, "Creating custom promise types".

use crate::phase;
use crate::offer::names_protocol;
use crate::output::{after_broken, parts};
use crate::session::{Ended, Exchange, Session};
use crate::wire::header::Protocol;
use crate::wire::response::{LineKind, Place, Response};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        if !exchange.owed || !names_protocol(session, exchange) || after_broken(session, exchange) {
            continue;
        }
        let protocol = session.protocol(exchange).unwrap_or(Protocol::Line);
        let Some(text) = text(exchange, protocol) else {
            if exchange.message.is_some() {
                ledger.pass(exchange.number);
            }
            continue;
        };
        let finding = ledger
            .finding(
                exchange.number,
                format!(
                    "on standard output, and no protocol: `{}`",
                    cut(&visible(&text), 80)
                ),
            )
            .expected("protocol messages alone")
            .quote(&text)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

/// The first free text in the output of an exchange.
fn text(exchange: &Exchange, protocol: Protocol) -> Option<Vec<u8>> {
    let mut output = &exchange.output[..];
    if exchange.phase == phase::HEADER {
        output = output.get(exchange.header()?.len..)?;
    } else if exchange.message.is_none() && !matches!(exchange.ended, Ended::Exited(_)) {
        // The last line may be a part of one.
        let end = output.iter().rposition(|byte| *byte == b'\n')?;
        output = &output[..=end];
    }
    for part in parts(output, protocol) {
        let response = Response::analyse(part.bytes, protocol);
        if let Some(text) = free_text(&response) {
            return Some(text);
        }
        // What follows a broken object may be the rest of it.
        if matches!(response.json, Some(Err(_))) {
            return None;
        }
    }
    None
}

fn free_text(response: &Response) -> Option<Vec<u8>> {
    if response.protocol == Protocol::Line {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let line = response.lines.iter().find(|line| {
            line.kind == LineKind::Text && response.bytes(&line.range).iter().any(blank)
        })?;
        return Some(response.bytes(&line.range).to_vec());
    }
    let broken = matches!(response.json, Some(Err(_)));
    let on_line = response
        .lines
        .iter()
        .filter(|line| !broken || line.place == Place::Before)
        .find(|line| line.is_free_text())
        .map(|line| line.range.clone());
    let glued = || {
        let glued = response.object.as_ref()?.glued_before.clone()?;
        (!response.bytes(&glued).starts_with(b"log_")).then_some(glued)
    };
    on_line
        .or_else(glued)
        .map(|range| response.bytes(&range).to_vec())
}
