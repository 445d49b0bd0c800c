//! # Result classes are set from evaluations alone
//!
//! ## What it requires
//! Classes that a module names in the answer to an evaluation are set; those in
//! other answers are not.
//!
//! ## Why
//! A class says what happened to a promise. A validation is no event.
//!
//! ## How it is judged
//! Where the agent keeps the record itself: on each outcome with result classes, and
//! on each validation whose answer names some. Names count as they are made class
//! names of.
//!
//! ## Example
//! An agent sets `cloned` for `{"operation": "validate_promise", "result": "valid",
//! "result_classes": ["cloned"]}`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Result classes".

use crate::phase;
use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::Phase;

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for outcome in view::outcomes(session) {
        let about: Vec<_> = view::about(session, outcome).collect();
        let named = |phase: Phase| {
            let of = about.iter().filter(move |one| one.phase == phase);
            of.flat_map(|one| one.classes()).map(|name| view::canonified(&name))
        };
        let evaluated: Vec<Vec<u8>> = named(phase::EVALUATE).collect();
        let validated: Vec<Vec<u8>> = named(phase::VALIDATE).collect();
        if outcome.defines.is_empty() && validated.is_empty() {
            continue;
        }
        let foreign = outcome.defines.iter().find(|class| {
            !evaluated.contains(&view::canonified(class))
        });
        let place = about.last().map(|one| one.number);
        match foreign {
            None => ledger.pass(place),
            Some(class) => ledger.report(ledger.finding(
                place,
                format!("the class `{}` is set, which no evaluation named", class.lossy()),
            )),
        }
    }
}
