//! # Every message ends with an empty line and is flushed at once
//!
//! ## What it requires
//! An answer ends with a line feed and an empty line, and reaches the agent
//! without further input: the module flushes it.
//!
//! ## Why
//! The agent reads up to the empty line. While it or the answer itself lies in
//! a buffer, both sides wait for each other without end.
//!
//! ## How it is judged
//! On every request that has to be answered. Judged are a part of an answer
//! with nothing after it; an answer that came only when the input was closed; a
//! whole answer without its empty line from a process that then ended; and an
//! empty line that is not empty, but holds a carriage return. No output at all
//! is PM902, a process that ends without an answer PM901. For headers see PM101
//! and PM106.
//!
//! ## Example
//! ```text
//! ← operation=validate_promise
//! ← result=valid
//! ```
//! with nothing after it; or Python's `print` without `flush=True`.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol" and "Line based protocol".
//! cf-agent 3.21.0 waits without end, takes the end of output for the end of a
//! message, and a line of a carriage return for a line.

use stickler_transcript::Relation;
use crate::phase;
use crate::output::{in_time, is_variant};
use crate::session::{Ended, Exchange, Session};
use crate::wire::framing::How;
use crate::wire::header::Protocol;
use crate::wire::response::Response;
use stickler_judge::{Check, Ledger};
use stickler_transcript::{Silence};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    // What comes of pieces and sizes is PM212's and PM213's matter.
    let special = is_variant(session, &[Relation::Pieces, Relation::Large]);
    for exchange in &session.exchanges {
        if !exchange.owed || exchange.phase == phase::HEADER {
            continue;
        }
        let protocol = session.protocol(exchange).unwrap_or(Protocol::Line);
        let broken = broken(exchange, protocol);
        if broken.is_none() && in_time(exchange) {
            ledger.pass(exchange.number);
        }
        if let Some(message) = broken.filter(|_| !special) {
            let finding = ledger
                .finding(exchange.number, message)
                .expected("an answer that ends with an empty line, flushed at once")
                .graded(exchange.provenance);
            ledger.report(finding);
        }
    }
}

fn broken(exchange: &Exchange, protocol: Protocol) -> Option<&'static str> {
    let silent = exchange.is_quiet();
    if exchange.late {
        // Where the plan closed the input first, nothing was awaited before.
        return silent.then_some(
            "the answer came only when the input was closed: not flushed, or waiting for more input",
        );
    }
    if let Some(response) = &exchange.response {
        let end = response.end.map(|end| end.how);
        return (end == Some(How::CarriageReturn))
            .then_some("the line after the answer is not empty: it holds a carriage return");
    }
    match exchange.ended {
        Ended::Silent(Silence::Deadline | Silence::Input) => {
            has_text(exchange).then_some("the answer has no end: no empty line follows it")
        }
        Ended::Exited(_) | Ended::ClosedOutput => {
            let answer = Response::analyse(&exchange.output, protocol);
            answer
                .result
                .text()
                .map(|_| "the answer has no end: output ended without an empty line")
        }
        _ => None,
    }
}

fn has_text(exchange: &Exchange) -> bool {
    !exchange.output.trim_ascii().is_empty()
}
