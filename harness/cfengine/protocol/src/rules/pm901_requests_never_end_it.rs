//! # No well-formed validation or evaluation ends the module
//!
//! ## What it requires
//! The module answers every `validate_promise` and `evaluate_promise`, and keeps reading until
//! `terminate` or the end of its input.
//!
//! ## Why
//! One process serves all promises of a run. cf-agent does not restart a module that died, so
//! every later promise fails with a misleading message.
//!
//! ## How it is judged
//! - Judged: every validation and evaluation. The process must not exit instead of its answer,
//!   nor after the answer while its input is open. Nor do several of them that arrive at once
//!   end it; no agent sends them so, so that is advice.
//! - Not judged: answers without the final empty line (PM201); `terminate` (PM307).
//! - Not judged, since narrower rules report them: raw control bytes and invalid UTF-8
//!   (PM906), numbers, booleans and null (PM912), lists and objects (PM904), no `attributes`
//!   (PM312), pieces (PM212), unknown keys (PM311), large requests (PM213), several processes
//!   (PM310), environments (PM909), refused writes (PM807), kills (PM806).
//!
//! ## Example
//! A module gets `{"mode": ""}`, and exits with status 1 and a traceback.
//!
//! ## How to fix
//! Check each value in the validation, and answer `invalid`. As a last resort, catch all
//! errors in the loop, answer `error` with a critical log, and read on.
//! - Python: `except Exception as e:` around each request. Perl: `eval { …; 1 } or …`.
//! - Shell: no `set -e`, `exit` only at the end, `${value-}` with `set -u`. Go: `recover`.
//!   Node: `try` and `catch`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" and "Protocol header".

use crate::narrower;
use crate::output::{exit_words, in_time};
use crate::phase;
use crate::session::{Ended, Exchange, Session};
use crate::trace;
use crate::wire::header::Protocol;
use crate::wire::request::{Operation, Request};
use crate::wire::response::Response;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_transcript::{ExitCause, Phase};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[
        Relation::ALONE,
        Relation::BETWEEN,
        Relation::IDLE,
        Relation::FIELDS,
        Relation::PLACES,
        Relation::TEXT,
        Relation::TRAPS,
        Relation::WARN,
    ],
    check,
)];

/// The process ends in place of an answer.
const EXITS: Variant = Variant::new("exits");
/// The process ends after its answer.
const EXITS_AFTER: Variant = Variant::new("exits-after-answer");
/// The process ends when several requests arrive at once.
const EXITS_TOGETHER: Variant = Variant::new("exits-together");

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
    for exchange in session
        .exchanges
        .iter()
        .filter(|one| are_several(session, one))
    {
        let ended = ended_instead(session, exchange);
        let Some(cause) = ended.or_else(|| ended_after(session, exchange)) else {
            ledger.pass(exchange.number);
            continue;
        };
        let how = exit_words(cause);
        let defect = EXITS_TOGETHER.says(format!(
            "several requests that arrive at once make the module exit ({how}){}",
            last_words(exchange)
        ));
        let finding = ledger
            .finding(exchange.number, defect)
            .expected("an answer to each, and a module that keeps reading")
            .graded(exchange.provenance);
        ledger.report(finding);
    }
    for exchange in requests {
        let operation = match exchange.phase {
            phase::VALIDATE => "validate_promise",
            _ => "evaluate_promise",
        };
        let broken = if in_time(exchange) {
            ended_after(session, exchange).map(|cause| {
                let how = exit_words(cause);
                EXITS_AFTER.says(format!(
                    "`{operation}` is answered, and then the module ends ({how})"
                ))
            })
        } else {
            let Some(cause) = ended_instead(session, exchange) else {
                continue;
            };
            let how = exit_words(cause);
            let said = last_words(exchange);
            Some(EXITS.says(format!("`{operation}` makes the module exit ({how}){said}")))
        };
        match broken {
            None => ledger.pass(exchange.number),
            Some(defect) => {
                let finding = ledger
                    .finding(exchange.number, defect)
                    .expected("an answer, and a module that keeps reading")
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
        }
    }
}

/// Were several validations or evaluations sent at once, each well formed?
fn are_several(session: &Session, exchange: &Exchange) -> bool {
    let Some(protocol) = session.protocol(exchange) else {
        return false;
    };
    if exchange.phase != Phase::OTHER || narrower::is_raw(exchange) {
        return false;
    }
    let Some(sent) = exchange.sent.strip_suffix(b"\n\n") else {
        return false;
    };
    let text = String::from_utf8_lossy(sent);
    let operations: Vec<Option<Operation>> = text
        .split("\n\n")
        .map(|request| Some(Request::parse(request.as_bytes(), protocol)?.operation))
        .collect();
    let is_request = |operation: &Option<Operation>| {
        matches!(operation, Some(Operation::Validate | Operation::Evaluate))
    };
    operations.len() > 1 && operations.iter().all(is_request)
}

/// How the process ended instead of an answer.
fn ended_instead(session: &Session, exchange: &Exchange) -> Option<ExitCause> {
    let process = session.process(exchange);
    let (ended_at, cause) = process.exit?;
    let itself = match exchange.ended {
        Ended::Exited(_) => true,
        // The harness sees the end of the output before the end of the process.
        Ended::ClosedOutput => !process.killed,
        _ => false,
    };
    let protocol = session.protocol(exchange).unwrap_or(Protocol::Line);
    let answered = Response::analyse(&exchange.output, protocol)
        .result
        .text()
        .is_some();
    // `Lost`: the process ended with the sandbox. If it ended before the request, an earlier
    // finding reports it.
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
