//! # The header comes in time, without waiting for more input than the agent's
//!
//! ## What it requires
//! Once the agent's header and its empty line were sent, the module answers
//! with its own header within the deadline, whatever comes or does not come
//! after. It is flushed at once.
//!
//! ## Why
//! The agent sends nothing more before it has the header. A module that reads a
//! line too many, or leaves its header in a buffer, and the agent wait for each
//! other without end.
//!
//! ## How it is judged
//! On the usual agent's header, in every session. A header that came only when
//! the input was closed had been waiting for more input, or in a buffer. A
//! header that is sent before the agent's is accepted.
//!
//! ## Example
//! A module reads lines until the end of input before it prints anything.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header". cf-agent 3.21.0 has no
//! deadline and would wait without end.

use crate::offer::usual_headers;
use crate::session::{Ended, Exchange, Session};
use stickler_judge::{Check, Ledger};
use stickler_transcript::Silence;

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in usual_headers(session) {
        let header = exchange.header();
        if exchange.ended == Ended::Answered && header.is_some() {
            ledger.pass(exchange.number);
        } else if let Some(message) = broken(session, exchange) {
            let finding = ledger
                .finding(exchange.number, message)
                .expected("a header, flushed at once")
                .hang(exchange.provenance);
            ledger.report(finding);
        }
    }
}

fn broken(session: &Session, exchange: &Exchange) -> Option<&'static str> {
    if !exchange.is_quiet() {
        return None;
    }
    if exchange.late {
        let closed = session.processes[exchange.process].input_closed_at;
        let began = exchange.pieces.first().map(|(time, _)| *time);
        return Some(if began < closed {
            "the header's empty line came only when the input was closed"
        } else {
            "the header came only when the input was closed: not flushed, or waiting for more input"
        });
    }
    let words = if exchange.ended == Ended::Silent(Silence::Input) {
        "no header: the module waits for more input"
    } else {
        "no header in time"
    };
    exchange.header().is_none().then_some(words)
}
