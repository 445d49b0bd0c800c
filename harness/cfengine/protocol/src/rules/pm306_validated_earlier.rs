//! # Evaluation works for a promise that was validated earlier
//!
//! ## What it requires
//! The module can evaluate a promise after requests about other promises, with the outcome
//! that it has right after its validation.
//!
//! ## Why
//! Nothing guarantees that an evaluation directly follows its validation. A module that keeps
//! only the last validated promise, or refuses others, breaks.
//!
//! ## How it is judged
//! - Judged: A is validated; then come other promises, other values for the same promiser,
//!   probably invalid promises, or a pause; then A is evaluated.
//! - Judged: result, result classes and effects must be those of a session with nothing in
//!   between.
//! - Not judged: effects after a pause; what differs between two runs of that session.
//!
//! ## Example
//! A module answers `error` ("not validated") unless it validated the promise last.
//!
//! ## How to fix
//! Evaluate what the evaluation's own request contains, and do not record which promises were
//! validated. If the evaluation needs a parsed value, parse it again.
//! If the module keeps a connection, test it before each use, and connect again if it timed
//! out.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence". cf-agent never sends requests
//! in between.

use crate::partner::Comparison;
use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger, Relation, Role, Variant};
use stickler_transcript::Purpose;

pub(super) const CHECKS: super::Checks =
    &[Check::Group(&[Relation::BETWEEN, Relation::IDLE], check)];

/// A pause changes the outcome.
const AFTER_PAUSE: Variant = Variant::new("after-pause");

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (role, index, variant) in group.variants() {
        if *role == Role::Again {
            continue;
        }
        Comparison {
            pair: |before, _| before.phase == phase::EVALUATE && before.key.is(Purpose::EVALUATE),
            // A file may contain the time at which it was written.
            effects: *role != Role::Later,
            defect: (*role == Role::Later).then_some(AFTER_PAUSE),
            ..Comparison::of(match role {
                Role::Later => "evaluated after a pause",
                _ => "evaluated after requests about other promises",
            })
        }
        .judge(group, (index, variant), ledger);
    }
}
