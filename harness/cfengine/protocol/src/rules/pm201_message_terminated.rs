//! # Every message ends with an empty line and is flushed at once
//!
//! ## What it requires
//! The module ends every answer with a line feed and an empty line, and flushes it without
//! waiting for further input.
//!
//! ## Why
//! The agent reads up to the empty line. While the answer or its empty line is in a buffer,
//! agent and module wait for each other forever.
//!
//! ## How it is judged
//! - Judged: every request that must be answered: a partial answer; an answer that comes only
//!   when the input is closed, for example if a value such as `/dev/stdin` lets the module read
//!   its own input; an answer without its empty line, or with a carriage return in it.
//! - Not judged: no output at all (PM902); a process that ends without an answer (PM901);
//!   headers (PM101, PM106); requests in pieces (PM212); large requests (PM213).
//!
//! ## Example
//! A module prints `result=valid` as its last line, or uses Python's `print` without
//! `flush=True`.
//!
//! ## How to fix
//! Print the answer and its empty line at once, with `\n` only, then flush.
//! - Python: `print(json.dumps(answer) + "\n", flush=True)`. C: `fflush(stdout)`.
//! - Ruby: `$stdout.sync = true`. Perl: `$| = 1`. Go: `Flush()` after a `bufio.Writer`.
//! - Shell: `printf` needs no flush. Filters between module and agent do: `sed -u`,
//!   `grep --line-buffered`. Open only files that are regular: `[ -f "$file" ]`.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol" and "Line based protocol". cf-agent waits
//! forever. It accepts the end of output as the end of a message, and does not treat a line
//! with a carriage return as empty.

use crate::output::{in_time, is_variant};
use crate::phase;
use crate::reads::ANSWERS;
use crate::relation;
use crate::session::{Ended, Exchange, Session};
use crate::wire::framing::How;
use crate::wire::header::Protocol;
use crate::wire::response::Response;
use stickler_judge::{Check, Defect, Ledger, Variant};
use stickler_transcript::Silence;

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

/// It comes when the input is closed.
const LATE: Variant = Variant::new("not-flushed");
/// The empty line has a carriage return.
const CARRIAGE_RETURN: Variant = Variant::new("carriage-return");
/// No empty line comes.
const NOT_ENDED: Variant = Variant::new("not-ended");

fn check(session: &Session, ledger: &mut Ledger) {
    // PM212 and PM213 judge requests in pieces and large requests.
    let special = is_variant(session, &[relation::PIECES, relation::LARGE]);
    for exchange in &session.exchanges {
        if !exchange.owed || exchange.phase == phase::HEADER {
            continue;
        }
        let protocol = session.protocol(exchange).unwrap_or(Protocol::Line);
        let broken = broken(session, exchange, protocol);
        if broken.is_none() && in_time(exchange) {
            ledger.pass(exchange.number);
        }
        if let Some(defect) = broken.filter(|_| !special) {
            let finding = ledger
                .finding(exchange.number, defect)
                .expected("an answer that ends with an empty line, flushed at once")
                .graded(exchange.provenance);
            ledger.report(finding);
        }
    }
}

fn broken(session: &Session, exchange: &Exchange, protocol: Protocol) -> Option<Defect> {
    let silent = exchange.is_quiet();
    if exchange.late {
        // If the plan itself closed the input, the suite had not waited for an answer.
        return silent.then(|| match exchange.ended {
            Ended::Silent(Silence::Deadline) => {
                let deadline = session.deadline(exchange);
                LATE.says(format!("no answer within {deadline}; it came after the input was closed"))
            }
            _ => LATE.says("the answer came only when the input was closed: it was not flushed, or the module waited for more input"),
        });
    }
    if let Some(response) = &exchange.response {
        let end = response.end.map(|end| end.how);
        return (end == Some(How::CarriageReturn)).then(|| {
            CARRIAGE_RETURN
                .says("the line after the answer is not empty: it contains a carriage return")
        });
    }
    match exchange.ended {
        Ended::Silent(Silence::Deadline | Silence::Input) => has_text(exchange)
            .then(|| NOT_ENDED.says("the answer has no end: no empty line follows it")),
        Ended::Exited(_) | Ended::ClosedOutput => {
            let answer = Response::analyse(&exchange.output, protocol);
            answer.result.text().map(|_| {
                NOT_ENDED.says("the answer has no end: output ended without an empty line")
            })
        }
        _ => None,
    }
}

fn has_text(exchange: &Exchange) -> bool {
    !exchange.output.trim_ascii().is_empty()
}
