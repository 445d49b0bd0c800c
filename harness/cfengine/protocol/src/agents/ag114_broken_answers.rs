//! # A broken answer is an error of its promise alone
//!
//! ## What it requires
//! An answer that breaks the protocol makes its promise fail, with an error. What is
//! left of it is not taken for the answer to the next request.
//!
//! ## Why
//! One wrong print would make each promise after it have the outcome of another.
//!
//! ## How it is judged
//! Where the agent keeps the record itself: on each answer without a usable result,
//! the promise has to end not kept, with an error; on each whole answer after
//! something that was printed too much, the outcome has to be that answer's.
//!
//! ## Example
//! A module answers a validation twice. cf-agent 3.21.0 takes the second answer for
//! that to the evaluation.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" and "Protocol header".

use crate::phase;
use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use crate::wire::Protocol;
use crate::wire::response::Response;
use stickler_transcript::{Fate, Phase};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for outcome in view::outcomes(session).filter(|outcome| !outcome.unresolved) {
        let Some(last) = view::about(session, outcome).last() else {
            continue;
        };
        let Some(end) = last.message else {
            continue;
        };
        let protocol = session.protocol(last).unwrap_or(Protocol::Line);
        let answer = Response::analyse(&last.output[..end], protocol);
        let due = due(last.phase, answer.result.text());
        let wrong = match due {
            None if outcome.outcome != Fate::Failed => "a broken answer, and the promise is not failed",
            None if outcome.errors.is_empty() => "a broken answer, and no error says so",
            Some(due) if last.shifted && due != outcome.outcome => {
                "the promise has the outcome of another answer than its own"
            }
            None => {
                ledger.pass(last.number);
                continue;
            }
            Some(_) if last.shifted => {
                ledger.pass(last.number);
                continue;
            }
            Some(_) => continue,
        };
        ledger.report(ledger.finding(last.number, wrong));
    }
}

/// The outcome that an answer asks for; `None` where it is none.
fn due(phase: Phase, result: Option<&[u8]>) -> Option<Fate> {
    match (phase, result?) {
        (phase::VALIDATE, b"invalid" | b"error") | (phase::EVALUATE, b"not_kept" | b"error") => {
            Some(Fate::Failed)
        }
        (phase::EVALUATE, b"kept") => Some(Fate::Unchanged),
        (phase::EVALUATE, b"repaired") => Some(Fate::Changed),
        _ => None,
    }
}
