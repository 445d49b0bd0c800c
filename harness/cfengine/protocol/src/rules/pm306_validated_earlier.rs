//! # Evaluation works for a promise validated a while ago
//!
//! ## What it requires
//! A promise that was validated can be evaluated later, with requests about other
//! promises in between, and has the outcome that it has right after its
//! validation.
//!
//! ## Why
//! A module cannot rely on the request before an evaluation being its
//! validation: it is not guaranteed. A module that keeps only the last validated
//! promise, or refuses others, breaks.
//!
//! ## How it is judged
//! A is validated, then other promises are validated and evaluated, then A is
//! evaluated. Or promises of the same promiser with other values are validated in
//! between, or ones that are likely to be invalid, or nothing is asked for a while. Result, result classes and effects are compared with a session in which nothing
//! stands in between; what differs between two runs of that session anyway is left out.
//!
//! cf-agent 3.21.0 never has requests in between.
//!
//! ## Example
//! A module answers `error` ("not validated") unless the promise is the one that
//! it validated last.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use stickler_judge::{Relation, Role};
use crate::phase;
use crate::partner::Comparison;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Between], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (role, index, variant) in group.variants() {
        if *role == Role::Again {
            continue;
        }
        Comparison {
            pair: |before, _| before.phase == phase::EVALUATE && before.key.starts_with("e:"),
            // A file may well tell when it was written.
            effects: *role != Role::Later,
            ..Comparison::of(match role {
                Role::Later => "evaluated after a while in which nothing was asked",
                _ => "evaluated after requests about other promises",
            })
        }
        .judge(group, (index, variant), ledger);
    }
}
