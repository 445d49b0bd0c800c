//! # The module sends its header in time, without waiting for further input
//!
//! ## What it requires
//! After the agent's header and its empty line, the module sends its own header within the
//! deadline and flushes it at once.
//!
//! ## Why
//! The agent sends nothing more until it has the header. A module that reads one line too
//! many, or leaves its header in a buffer, blocks both sides forever.
//!
//! ## How it is judged
//! - Judged: after the usual agent's header, no header within the deadline, and a header that
//!   comes only when the suite closes the input.
//! - Not judged: a header that the module sends before the agent's, which is accepted; a
//!   process that ends without a header (PM101); headers in pieces (PM212) or in unusual
//!   environments (PM909).
//!
//! ## Example
//! A module reads lines until the end of input before it prints anything.
//!
//! ## How to fix
//! Read up to the first empty line, then print the header and flush it. Start slow work, such
//! as a connection, after the header.
//! - Python: `while sys.stdin.buffer.readline() not in (b"\n", b""): pass`
//! - Shell: `while IFS= read -r line && [ -n "$line" ]; do :; done`
//! - Flush: Python `print(…, flush=True)`, C `fflush(stdout)`, Ruby `$stdout.sync = true`,
//!   Perl `$| = 1`, Java `System.out.flush()`. A shell's `printf` needs none.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header". cf-agent has no deadline and waits
//! forever.

use crate::offer::usual_headers;
use crate::relation;
use crate::session::{Ended, Exchange, Session};
use stickler_judge::{Check, Defect, Ledger, Relation, Variant};
use stickler_transcript::Silence;

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[Relation::ENVIRONMENT, relation::HEADER],
    check,
)];

/// The header, or its end, comes only when the input is closed.
const LATE: Variant = Variant::new("not-flushed");
/// No header comes, and the module keeps reading.
const READS_ON: Variant = Variant::new("waits-for-input");
/// No header comes.
const NONE: Variant = Variant::new("no-header");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in usual_headers(session) {
        let header = exchange.header();
        if exchange.ended == Ended::Answered && header.is_some() {
            ledger.pass(exchange.number);
        } else if let Some(defect) = broken(session, exchange) {
            let finding = ledger
                .finding(exchange.number, defect)
                .expected("a header, flushed at once")
                .hang(exchange.provenance);
            ledger.report(finding);
        }
    }
}

fn broken(session: &Session, exchange: &Exchange) -> Option<Defect> {
    if !exchange.is_quiet() {
        return None;
    }
    if exchange.late {
        let closed = session.processes[exchange.process].input_closed_at;
        let began = exchange.pieces.first().map(|(time, _)| *time);
        return Some(LATE.says(match exchange.ended {
            // A slow start looks the same.
            Ended::Silent(Silence::Deadline) => {
                let deadline = session.deadline(exchange);
                format!("no header within {deadline}; it came after the input was closed")
            }
            _ if began < closed => {
                "the header's empty line came only when the input was closed".to_owned()
            }
            _ => "the header came only when the input was closed: it was not flushed, or the module waited for more input".to_owned(),
        }));
    }
    let defect = if exchange.ended == Ended::Silent(Silence::Input) {
        READS_ON.says("no header: the module waits for more input")
    } else {
        NONE.says(format!("no header within {}", session.deadline(exchange)))
    };
    exchange.header().is_none().then_some(defect)
}
