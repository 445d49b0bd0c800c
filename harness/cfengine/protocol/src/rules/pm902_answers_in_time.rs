//! # Every request is answered in time
//!
//! ## What it requires
//! Each `validate_promise` and `evaluate_promise` has its answer before the
//! deadline of its phase.
//!
//! ## Why
//! cf-agent waits for an answer without any limit. A module that hangs stops
//! the whole run, and every later run that waits for its lock.
//!
//! ## How it is judged
//! On every validation and evaluation. The deadlines are those of the session
//! (they can be set); large requests have more time, and a hang is tried again
//! alone with a multiple of it before it is told. When nothing comes, standard
//! input is closed: an answer that then appears was written but not sent, and
//! is PM201, as is a part of an answer that stops before its empty line. A
//! process that prints, forks or takes memory without end in place of an answer
//! has not answered either. Where a narrower rule asks for an answer, it tells
//! of its absence (lists and objects in place of text: PM904; the absence of
//! the key `attributes`: PM312; pieces: PM212; unknown keys: PM311; large
//! requests: PM213; several processes: PM310; other surroundings: PM909; a run
//! after a kill: PM806). On requests with raw control bytes or invalid UTF-8,
//! and on those that no agent sends, a hang is a `should`. Header and
//! `terminate` are PM106 and PM307.
//!
//! ## Example
//! A module asks on its terminal for a password, and waits.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header" (one response for each
//! request). How long an agent has to wait is not said there; cf-agent 3.21.0
//! waits for ever.

use crate::phase;
use crate::narrower;
use crate::output::in_time;
use crate::session::{Ended, Exchange, Session};
use stickler_judge::{Check, Ledger, Level};
use stickler_transcript::{Silence};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        let operation = match exchange.phase {
            phase::VALIDATE => "validate_promise",
            phase::EVALUATE => "evaluate_promise",
            _ => continue,
        };
        // What no agent sends is told of here alone where it hangs.
        let scalar = narrower::is_other_scalar(session, exchange);
        if !exchange.owed || narrower::tells(session, exchange) && !scalar {
            continue;
        }
        if in_time(exchange) {
            ledger.pass(exchange.number);
            continue;
        }
        let Some(what) = hung(session, exchange) else {
            continue;
        };
        let mut finding = ledger
            .finding(exchange.number, format!("`{operation}` {what}"))
            .expected("an answer within the deadline")
            .hang(exchange.provenance);
        if narrower::is_raw(exchange) {
            finding = finding.at_most(Level::Should);
        }
        ledger.report(finding);
    }
}

/// What the module did in place of answering, if it lived on.
fn hung(session: &Session, exchange: &Exchange) -> Option<&'static str> {
    if exchange.late {
        return None;
    }
    match exchange.ended {
        // A part of an answer is another matter.
        Ended::Silent(why @ (Silence::Deadline | Silence::Input)) => {
            let words = if why == Silence::Input {
                "is not answered, the module waits for more input"
            } else {
                "is not answered in time"
            };
            exchange.output.trim_ascii().is_empty().then_some(words)
        }
        Ended::Silent(Silence::Flood) => Some("is met with output without end"),
        Ended::Silent(Silence::Processes) => Some("is met with processes without end"),
        Ended::Silent(Silence::Memory) => Some("is met with memory taken without end"),
        Ended::ClosedOutput => {
            let process = session.process(exchange);
            (process.killed || process.exit.is_none())
                .then_some("cannot be answered: standard output was closed")
        }
        Ended::Answered | Ended::Exited(_) | Ended::Killed | Ended::NoAnswer => None,
    }
}
