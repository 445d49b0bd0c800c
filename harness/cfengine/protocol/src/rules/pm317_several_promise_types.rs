//! # One process serves several promise types
//!
//! ## What it requires
//! A module that implements several promise types serves their interleaved requests in one
//! process, with the outcomes that they have one by one.
//!
//! ## Why
//! cf-agent starts one process for each module path, and sends it the requests of all promise
//! types with that path. A module that applies the first type to all requests does the wrong
//! work.
//!
//! ## How it is judged
//! - Judged: if the configuration has several `promise_types`, promises of two types are
//!   validated and evaluated in turn in one process.
//! - Judged: results, result classes and effects must be those of one process for each type.
//! - Not judged: outcomes that differ between two runs of those processes.
//!
//! ## Example
//! A module keeps `promise_type` of the first request in a global variable.
//!
//! ## How to fix
//! Choose the code by the `promise_type` of each request:
//! `handlers[request["promise_type"]]`. Keep state, if any, separately for each type.
//! CFEngine's Python library: read `metadata["promise_type"]`, the last argument of
//! `validate_promise` and `evaluate_promise`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (a module implementing multiple
//! promise types); cf-agent shares the process.

use crate::partner::Comparison;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger};
use stickler_judge::{Relation, Role};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::TYPES], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (role, index, variant) in group.variants() {
        if *role == Role::Again {
            continue;
        }
        Comparison::of("beside requests of another promise type").judge(
            group,
            (index, variant),
            ledger,
        );
    }
}
