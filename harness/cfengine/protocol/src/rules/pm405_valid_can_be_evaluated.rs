//! # A promise that is `valid` can be evaluated
//!
//! ## What it requires
//! The module evaluates a promise that it called `valid` without `error` and without an exit;
//! if it cannot keep the promise, it answers `not_kept`.
//!
//! ## Why
//! Validation exists to find what evaluation cannot handle: a missing attribute, a list
//! instead of text, a number out of range. Otherwise the module fails in the middle of a run.
//!
//! ## How it is judged
//! - Judged: evaluations of promises that were `valid` in the same process: the author's
//!   examples, and variants with missing, doubled, empty or mistyped attributes. A file that
//!   is only read is no text, empty, huge, a directory, or gone.
//! - Not judged: examples with `expect = ["error"]`; failing commands; refused writes (PM807);
//!   an exit on an unchanged example (PM901) or on raw control bytes (PM906).
//! - Grouped: by the changed attribute and by the exception or the message of the module.
//! - Lowered to should: `error` after raw control bytes or invalid UTF-8, or for such a file.
//!
//! ## Example
//! The module checks `mode` nowhere, and its evaluation calls `int(mode, 8)`.
//!
//! ## How to fix
//! Convert each value in one function that validation and evaluation share. If that fails in
//! the validation, answer `invalid`:
//! - Python: `try: int(mode, 8)`, then `except (TypeError, ValueError)`
//! - CFEngine's Python library: `add_attribute("mode", str, validator=check_mode)`
//! - In the evaluation: answer `not_kept` to what the system refuses (`except OSError`).
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (the promise has already been validated; `error`:
//! a bug in the module) and "Protocol request sequence".

use crate::cause;
use crate::narrower::{self, is_raw};
use crate::output::{EXITS, exit_words, is_variant};
use crate::phase;
use crate::relation;
use crate::session::{Ended, Exchange, Session};
use stickler_judge::{Check, Ledger, Level, Variant};
use stickler_transcript::Relation;
use stickler_transcript::{ExitCause, Variation};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[
        Relation::BETWEEN,
        Relation::DISTURBED,
        Relation::IDLE,
        Relation::FIELDS,
        relation::PIECES,
        Relation::TEXT,
    ],
    check,
)];

/// The evaluation is `error`.
const ERROR: Variant = Variant::new("answers-error");

fn check(session: &Session, ledger: &mut Ledger) {
    if session.refuses_writes() {
        return;
    }
    let evaluations = session
        .exchanges
        .iter()
        .filter(|exchange| exchange.phase == phase::EVALUATE && exchange.owed);
    for exchange in evaluations {
        let Some(validation) = validation(session, exchange) else {
            continue;
        };
        if narrower::tells(session, exchange) {
            continue;
        }
        let raw = is_raw(exchange);
        let defect = match exchange.ended {
            Ended::Answered => match exchange.result() {
                None => continue,
                Some(b"error") if expected_error(session, exchange) => continue,
                // The module may be unable to handle a command that fails.
                Some(b"error") if is_variant(session, &[Relation::COMMANDS]) => continue,
                Some(b"error") => {
                    ERROR.says("the validation is `valid`, but the evaluation is `error`")
                }
                Some(_) => {
                    ledger.pass(exchange.number);
                    continue;
                }
            },
            Ended::Exited(cause) if cause != ExitCause::Lost => {
                if session.is_original(exchange) || raw {
                    continue;
                }
                EXITS.says(format!(
                    "the validation is `valid`, but the evaluation makes the module exit ({})",
                    exit_words(cause)
                ))
            }
            _ => continue,
        };
        let also = ledger.place(validation.number);
        // One missing check per attribute and cause: each is another defect.
        let cause = cause::of(session, exchange);
        let mut defect = defect;
        if !cause.is_empty() {
            defect.message = format!("{cause}: {}", defect.message);
        }
        let mut finding = ledger
            .finding(exchange.number, defect)
            .grouped(cause)
            .expected(expectation(session, exchange))
            .graded(exchange.provenance)
            .also(also);
        // PM906, about such bytes, is a `should` as well.
        if raw || reads_other_input(session, exchange) && is_error(exchange) {
            finding = finding.at_most(Level::Should);
        }
        ledger.report(finding);
    }
}

fn is_error(exchange: &Exchange) -> bool {
    exchange.result() == Some(b"error")
}

/// Was a file that the promise only reads replaced?
fn reads_other_input(session: &Session, exchange: &Exchange) -> bool {
    let item = session.item(exchange);
    item.is_some_and(|item| {
        item.variation == Some(Variation::Drifted) && item.label.contains(":input")
    })
}

fn expectation(session: &Session, exchange: &Exchange) -> &'static str {
    if session.is_original(exchange) {
        "kept, repaired or not_kept"
    } else {
        "invalid in the validation, or kept, repaired or not_kept"
    }
}

/// The last validation of exactly this promise before, in the same process, if it
/// was `valid`.
fn validation<'s>(session: &'s Session, exchange: &Exchange) -> Option<&'s Exchange> {
    let request = exchange.request.as_ref()?;
    session
        .exchanges
        .iter()
        .rfind(|other| {
            other.phase == phase::VALIDATE
                && other.process == exchange.process
                && other.number < exchange.number
                && other.request.as_ref().is_some_and(|asked| {
                    asked.promiser == request.promiser
                        && asked.promise_type == request.promise_type
                        && asked.attributes == request.attributes
                })
        })
        .filter(|validation| validation.is("valid"))
}

/// Did the author declare this outcome?
fn expected_error(session: &Session, exchange: &Exchange) -> bool {
    let Some(promise) = session.item(exchange) else {
        return false;
    };
    let before = session
        .exchanges
        .iter()
        .filter(|other| {
            other.phase == phase::EVALUATE
                && other.item == exchange.item
                && other.number < exchange.number
        })
        .count();
    promise
        .expect
        .get(before)
        .or(promise.expect.last())
        .is_some_and(|expected| expected == "error")
}
