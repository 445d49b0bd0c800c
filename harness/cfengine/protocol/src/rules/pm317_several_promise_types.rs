//! # One process serves several promise types
//!
//! ## What it requires
//! A module that implements several promise types serves them all in one process,
//! their requests interleaved, with the outcomes that they have one by one.
//!
//! ## Why
//! cf-agent starts one process for each module path, and sends it the requests of
//! all promise types that name that path. A module that takes the type of the
//! first request for all does the wrong work.
//!
//! ## How it is judged
//! Where the author names several `promise_types`, promises of different types
//! are validated and evaluated in turn in one process. Results, result classes
//! and effects are compared with those of sessions with one type each.
//!
//! ## Example
//! A module keeps `promise_type` of the first request in a global variable.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (a module
//! implementing multiple promise types); the sharing of processes is
//! cf-agent 3.21.0's.

use stickler_judge::{Relation, Role};
use crate::partner::Comparison;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Types], check)];

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
