//! # The agent sets result classes from evaluations only
//!
//! ## What it requires
//! The agent sets the classes in the answers to evaluations, and none of the classes in other
//! answers.
//!
//! ## Why
//! A class says what happened to a promise. A validation changes nothing.
//!
//! ## How it is judged
//! - Judged: each promise's classes, if the agent keeps the record itself and an answer has
//!   classes. Each class that it sets must be in the answer to an evaluation. Names count as
//!   canonified.
//! - Not judged: classes of an evaluation that the agent does not set.
//!
//! ## Example
//! An agent sets `cloned` for
//! `{"operation": "validate_promise", …, "result_classes": ["cloned"]}`.
//!
//! ## How to fix
//! Read `result_classes` only in answers to `evaluate_promise`, and ignore them elsewhere.
//!
//! ## Source
//! CFEngine: Custom promise types, "Result classes".

use super::view;
use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::Phase;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for outcome in view::outcomes(session) {
        let about: Vec<_> = view::about(session, outcome).collect();
        let named = |phase: Phase| {
            let of = about.iter().filter(move |one| one.phase == phase);
            of.flat_map(|one| one.classes())
                .map(|name| view::canonified(&name))
        };
        let evaluated: Vec<Vec<u8>> = named(phase::EVALUATE).collect();
        let validated: Vec<Vec<u8>> = named(phase::VALIDATE).collect();
        if outcome.defines.is_empty() && validated.is_empty() {
            continue;
        }
        let foreign = outcome
            .defines
            .iter()
            .find(|class| !evaluated.contains(&view::canonified(class)));
        let place = about.last().map(|one| one.number);
        match foreign {
            None => ledger.pass(place),
            Some(class) => ledger.report(ledger.finding(
                place,
                format!(
                    "the agent sets the class `{}`, which no evaluation names",
                    class.lossy()
                ),
            )),
        }
    }
}
