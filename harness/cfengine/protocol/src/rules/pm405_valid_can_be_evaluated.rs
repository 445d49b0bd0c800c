//! # What was validated can be evaluated
//!
//! ## What it requires
//! A promise that validation calls `valid` is evaluated without `error`, and
//! without ending the module. That it cannot be kept is no error: that is
//! `not_kept`.
//!
//! ## Why
//! Validation is there to find what evaluation cannot work with: a missing
//! attribute, a list instead of text, a number out of range. What slips through
//! shows as a crash in the middle of a run instead of a message about the policy.
//!
//! ## How it is judged
//! On each evaluation of a promise whose validation, in the same process, was
//! `valid`: the author's examples and all that is made of them (attributes left
//! out, doubled, emptied, of other types). An author's example that says
//! `expect = ["error"]` may have it. Where one of the author's own examples ends
//! the module, PM901 says so; where raw control bytes do, PM906; where the target
//! refuses writes, PM807.
//!
//! ## Example
//! `mode` is checked nowhere and converted by `int(mode, 8)` in the evaluation.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (the promise has already been
//! validated; `error`: a bug in the module) and "Protocol request sequence".

use stickler_transcript::Relation;
use crate::phase;
use crate::narrower::{self, is_raw};
use crate::output::{exit_words, is_variant};
use crate::session::{Ended, Exchange, Session};
use stickler_judge::{Check, Ledger, Level};
use stickler_transcript::{ExitCause};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
        let message = match exchange.ended {
            Ended::Answered => match exchange.result() {
                None => continue,
                Some(b"error") if expected_error(session, exchange) => continue,
                // A command that fails may be more than it can cope with.
                Some(b"error") if is_variant(session, &[Relation::Commands]) => continue,
                Some(b"error") => "`valid`, and then evaluated with `error`".to_owned(),
                Some(_) => {
                    ledger.pass(exchange.number);
                    continue;
                }
            },
            Ended::Exited(cause) if cause != ExitCause::Lost => {
                if session.is_original(exchange) || raw {
                    continue;
                }
                format!(
                    "`valid`, and then the evaluation ends the module ({})",
                    exit_words(cause)
                )
            }
            _ => continue,
        };
        let also = ledger.place(validation.number);
        let mut finding = ledger
            .finding(exchange.number, message)
            .expected(expectation(session, exchange))
            .graded(exchange.provenance)
            .also(also);
        if raw {
            // What such bytes do to a module is a `should` (PM906).
            finding = finding.at_most(Level::Should);
        }
        ledger.report(finding);
    }
}

fn expectation(session: &Session, exchange: &Exchange) -> &'static str {
    if session.is_original(exchange) {
        "kept, repaired or not_kept"
    } else {
        "invalid in the validation, or kept, repaired, not_kept"
    }
}

/// The validation of this promise in the process, the last one before, where it
/// was `valid` and about the very same.
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
    let Some(promise) = session.promise(exchange) else {
        return false;
    };
    let before = session
        .exchanges
        .iter()
        .filter(|other| {
            other.phase == phase::EVALUATE
                && other.promise == exchange.promise
                && other.number < exchange.number
        })
        .count();
    promise
        .expect
        .get(before)
        .or(promise.expect.last())
        .is_some_and(|expected| expected == "error")
}
