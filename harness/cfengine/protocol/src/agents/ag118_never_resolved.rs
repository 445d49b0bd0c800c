//! # A promise that never resolves ends not kept; one that resolves late has one outcome
//!
//! ## What it requires
//! If a promise has an unresolved variable in every pass, it ends not kept, with an error; if
//! it resolves in a later pass, its evaluation alone decides the outcome.
//!
//! ## Why
//! Classes for both "failed" and "kept" trigger the actions for both.
//!
//! ## How it is judged
//! - Judged: each promise that was unresolved in a pass, if the agent keeps the record itself.
//!
//! ## Example
//! cf-agent sets `repair_failed` in the first pass. If the promise resolves in the second pass,
//! it also sets `promise_kept`.
//!
//! ## How to fix
//! In each pass, set unresolved promises aside without classes. After the last pass, log an
//! error for each that never resolved, and let it end not kept.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use super::view;
use crate::session::Session;
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::{Fate, ItemOutcome};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It resolves late, and has failed before.
const FAILED_BEFORE: Variant = Variant::new("failed-before");
/// It never resolves, and does not fail.
const NOT_FAILED: Variant = Variant::new("not-failed");
/// It never resolves, and no error says so.
const NO_ERROR: Variant = Variant::new("no-error");

fn check(session: &Session, ledger: &mut Ledger) {
    let mut promises: BTreeMap<&str, Vec<&ItemOutcome>> = BTreeMap::new();
    for outcome in view::outcomes(session) {
        promises.entry(&outcome.place).or_default().push(outcome);
    }
    for outcomes in promises
        .values()
        .filter(|all| all.iter().any(|one| one.unresolved))
    {
        let promiser = crate::words::visible(&outcomes[0].identity);
        // If a bundle is called again, its promises start again.
        let first = outcomes
            .iter()
            .filter(|one| one.unresolved)
            .map(|one| one.turn)
            .min();
        let later = |one: &&&ItemOutcome| !one.unresolved && Some(one.turn) > first;
        let wrong = match outcomes.iter().find(later) {
            Some(real) if real.outcome == Fate::Failed => None,
            Some(_) => Some((FAILED_BEFORE, "resolves in a later pass, but failed before")),
            None if outcomes
                .iter()
                .any(|one| one.unresolved && one.outcome != Fate::Failed) =>
            {
                Some((NOT_FAILED, "never resolves, but does not fail"))
            }
            None if outcomes
                .iter()
                .all(|one| !one.unresolved || one.errors.is_empty()) =>
            {
                Some((NO_ERROR, "never resolves, but no error says so"))
            }
            None => None,
        };
        match wrong {
            None => ledger.pass(None),
            Some((variant, wrong)) => {
                let defect = variant.says(format!("the promise `{promiser}` {wrong}"));
                ledger.report(ledger.finding(None, defect));
            }
        }
    }
}
