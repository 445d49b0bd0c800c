//! # No well-formed request of the three operations ends the module
//!
//! ## What it requires
//! Whatever promise a `validate_promise` or `evaluate_promise` is about, the
//! module answers it and goes on reading. It ends after `terminate`, or when
//! its input ends, and not before.
//!
//! ## Why
//! One process serves all promises of a run. cf-agent does not start a module
//! again that has died: each promise that follows fails too, with a message
//! that blames the module for something else.
//!
//! ## How it is judged
//! On every validation and evaluation: the process must not end in place of its
//! answer, nor after it while its input is still open. An answer whose empty
//! line is missing is PM201. Where a narrower rule asks for an answer, it tells
//! of its absence and this one is silent: raw control bytes and invalid UTF-8
//! (PM906), numbers, booleans and null (PM912), lists and objects in place of
//! text (PM904), the absence of the key `attributes` (PM312), pieces (PM212),
//! unknown keys (PM311), large requests (PM213), several processes (PM310),
//! other surroundings (PM909), a target that refuses writes (PM807), a run after
//! a kill (PM806).
//! How `terminate` is answered is PM307.
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", "promiser": "/x", "attributes": {"mode": ""}, …}
//! ← (the process ends with status 1, a traceback on standard error)
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (the module is
//! asked to end by `terminate`) and "Protocol header" (one response for each
//! request).

use crate::phase;
use crate::narrower;
use crate::output::{exit_words, in_time};
use crate::session::{Ended, Exchange, Session};
use crate::trace;
use crate::wire::header::Protocol;
use crate::wire::response::Response;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};
use stickler_transcript::{ExitCause};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    if session.refuses_writes() {
        return;
    }
    let requests = session
        .exchanges
        .iter()
        .filter(|exchange| matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE))
        .filter(|exchange| exchange.owed && !narrower::is_raw(exchange))
        .filter(|exchange| !narrower::tells(session, exchange));
    for exchange in requests {
        let operation = match exchange.phase {
            phase::VALIDATE => "validate_promise",
            _ => "evaluate_promise",
        };
        let broken = if in_time(exchange) {
            ended_after(session, exchange).map(|cause| {
                let how = exit_words(cause);
                format!("`{operation}` is answered, and then the module ends ({how})")
            })
        } else {
            let Some(cause) = ended_instead(session, exchange) else {
                continue;
            };
            let how = exit_words(cause);
            let said = last_words(exchange);
            Some(format!("`{operation}` ends the module ({how}){said}"))
        };
        match broken {
            None => ledger.pass(exchange.number),
            Some(message) => {
                let finding = ledger
                    .finding(exchange.number, message)
                    .expected("an answer, and a module that goes on reading")
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
        }
    }
}

/// How the process ended in place of an answer.
fn ended_instead(session: &Session, exchange: &Exchange) -> Option<ExitCause> {
    let process = session.process(exchange);
    let (ended_at, cause) = process.exit?;
    let itself = match exchange.ended {
        Ended::Exited(_) => true,
        // The end of the output was seen before the end of the process.
        Ended::ClosedOutput => !process.killed,
        _ => false,
    };
    let protocol = session.protocol(exchange).unwrap_or(Protocol::Line);
    let answered = Response::analyse(&exchange.output, protocol)
        .result
        .text()
        .is_some();
    // Lost: it went down with the sandbox. Already gone: told of before.
    (itself && !answered && cause != ExitCause::Lost && ended_at >= exchange.sent_at)
        .then_some(cause)
}

/// How the process ended after its answer, before anything else was sent and
/// with its input open.
fn ended_after(session: &Session, exchange: &Exchange) -> Option<ExitCause> {
    let process = session.process(exchange);
    let (ended_at, cause) = process.exit?;
    if process.killed || cause == ExitCause::Lost || exchange.answered_at? > ended_at {
        return None;
    }
    let next = session
        .exchanges
        .iter()
        .find(|later| later.process == exchange.process && later.number > exchange.number);
    let open = process
        .input_closed_at
        .is_none_or(|closed| closed > ended_at);
    let idle = next.is_none_or(|next| next.sent_at > ended_at);
    (open && idle).then_some(cause)
}

/// The line on standard error that says why.
fn last_words(exchange: &Exchange) -> String {
    let Some(line) = trace::message(&exchange.errors) else {
        return String::new();
    };
    let line = visible(line.trim_ascii()).replace(['`', '"', '\''], "’");
    format!(": `{}`", cut(&line, 100))
}
