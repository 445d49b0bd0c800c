//! # The module answers `terminate` and then exits
//!
//! ## What it requires
//! The module answers `terminate` once and in time, with or without `log_level`, and exits in
//! time after its answer and the end of input.
//!
//! ## Why
//! An agent waits for its modules at the end of each run. A module that stays keeps the run
//! from ending, and the next one from starting.
//!
//! ## How it is judged
//! - Judged: every `terminate`, also right after the header: no answer, the answer `error`, or
//!   a process that still runs after its answer and the end of input.
//! - Judged: a second answer, if the module answers other requests once (otherwise PM202).
//! - Not judged: `terminate` after a broken message (PM313); an incomplete or unflushed answer
//!   (PM201).
//!
//! ## Example
//! A module requires `log_level` in each request and fails with a traceback on the
//! `terminate` of a real agent.
//!
//! ## How to fix
//! Answer `terminate` once, like any request, then leave the loop and exit.
//! - `log_level` is optional: Python `request.get("log_level", "info")`, shell
//!   `${log_level-info}`.
//! - End children before the answer, and make threads daemons.
//! - CFEngine's Python library: `protocol_terminate` returns `Result.SUCCESS`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" and "Results". cf-agent sends no
//! `log_level` with `terminate`, unlike the specification's example. It only logs an error if
//! the answer is missing, and waits for the exit without limit.

use crate::message_len;
use crate::output::{CLOSES_OUTPUT, EXITS, HANGS, after_broken, exit_words};
use crate::phase;
use crate::relation;
use crate::session::{Ended, Exchange, Session};
use crate::wire::response::Response;
use stickler_judge::{Check, Defect, Finding, Ledger, Relation, Variant};
use stickler_transcript::{ExitCause, Silence};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[relation::ENDS, relation::HEADER, Relation::RESTART],
    check,
)];

/// Two answers.
const TWICE: Variant = Variant::new("answered-twice");
/// The result is `error`.
const ERROR: Variant = Variant::new("answers-error");
/// An answer, and no exit.
const RUNS_ON: Variant = Variant::new("runs-on");

fn check(session: &Session, ledger: &mut Ledger) {
    let requests = session
        .exchanges
        .iter()
        .filter(|exchange| exchange.phase == phase::TERMINATE && exchange.owed && !exchange.shifted)
        .filter(|exchange| !after_broken(session, exchange));
    for exchange in requests {
        match judge(session, exchange, ledger) {
            Verdict::Sound => ledger.pass(exchange.number),
            Verdict::Broken(finding) => ledger.report(*finding),
            Verdict::Open => {}
        }
    }
}

enum Verdict {
    Sound,
    Broken(Box<Finding>),
    /// Another rule judges this, or none.
    Open,
}

fn judge(session: &Session, exchange: &Exchange, ledger: &Ledger) -> Verdict {
    let process = session.process(exchange);
    let request = words(session, exchange);
    let broken = |defect: Defect, expected: &str| {
        let finding = ledger.finding(exchange.number, defect).expected(expected);
        Verdict::Broken(Box::new(finding.graded(exchange.provenance)))
    };
    let hang = |defect: Defect, expected: &str| {
        let finding = ledger.finding(exchange.number, defect).expected(expected);
        Verdict::Broken(Box::new(finding.hang(exchange.provenance)))
    };
    let answer = "an answer with result success";
    if exchange.message.is_none() && !exchange.output.is_empty() {
        return Verdict::Open;
    }
    match exchange.ended {
        Ended::Exited(ExitCause::Lost) | Ended::Killed | Ended::NoAnswer => Verdict::Open,
        Ended::Exited(cause) => broken(
            EXITS.says(format!(
                "{request} makes the module exit without an answer ({})",
                exit_words(cause)
            )),
            answer,
        ),
        Ended::ClosedOutput => broken(
            CLOSES_OUTPUT.says(format!(
                "{request} is not answered: standard output was closed"
            )),
            answer,
        ),
        // The module did not flush its answer: PM201 reports it.
        Ended::Silent(_) if exchange.late => Verdict::Open,
        Ended::Silent(Silence::Deadline | Silence::Input) => hang(
            HANGS.says(format!("{request} is not answered in time")),
            answer,
        ),
        Ended::Silent(_) => hang(
            HANGS.says(format!(
                "{request} is not answered: the module prints, forks or uses memory without end"
            )),
            answer,
        ),
        Ended::Answered if twice(session, exchange) => broken(
            TWICE.says(format!("{request} is answered twice")),
            "one answer",
        ),
        Ended::Answered if exchange.is("error") => {
            broken(ERROR.says(format!("{request} is answered `error`")), answer)
        }
        Ended::Answered if process.outlived => hang(
            RUNS_ON.says(format!(
                "the module still runs after {request} was answered and its input closed"
            )),
            "the module exits",
        ),
        Ended::Answered if process.exit.is_some() && !process.killed => Verdict::Sound,
        Ended::Answered => Verdict::Open,
    }
}

/// The request for people.
fn words(session: &Session, exchange: &Exchange) -> String {
    let before = session
        .exchanges
        .iter()
        .rfind(|other| other.process == exchange.process && other.number < exchange.number);
    let with_level = exchange
        .request
        .as_ref()
        .is_some_and(|request| request.log_level.is_some());
    let level = if with_level { "with" } else { "without" };
    if before.is_some_and(|before| before.phase == phase::HEADER) {
        format!("`terminate` right after the header ({level} log level)")
    } else {
        format!("`terminate` ({level} log level)")
    }
}

/// Is this request answered twice by a process that answers others once?
fn twice(session: &Session, exchange: &Exchange) -> bool {
    let second = |exchange: &Exchange| {
        let extra = exchange.extra();
        let protocol = session.protocol(exchange)?;
        let end = message_len(extra, 0)?;
        let response = Response::analyse(extra.get(..end)?, protocol);
        Some(!response.result.is_absent())
    };
    let others = session.exchanges.iter().any(|other| {
        other.process == exchange.process
            && other.number < exchange.number
            && other.response.is_some()
            && other.extra().is_empty()
    });
    others && second(exchange) == Some(true)
}
