//! # Promises may be validated first and evaluated later, in any order
//!
//! ## What it requires
//! If A and B are validated, and then B is evaluated before A, both have the outcome that they
//! have in the usual order.
//!
//! ## Why
//! A validation does not announce the next evaluation. A module that relies on the last or the
//! oldest validation applies one promise's attributes to another.
//!
//! ## How it is judged
//! - Judged: two sessions with promises whose effects are disjoint. One validates and
//!   evaluates A and then B; the other validates both and evaluates in reverse.
//! - Judged: results, result classes and effects must be the same.
//! - Not judged: outcomes that differ between two runs of the first session.
//!
//! ## Example
//! A module queues the attributes of each validation and takes one set for each evaluation,
//! so it evaluates B with A's attributes.
//!
//! ## How to fix
//! Use the promiser and attributes of the evaluation's own request. Pass them to functions as
//! arguments, and keep nothing from a validation in global variables.
//! - If a result is expensive, cache it under the whole promise: type, promiser and
//!   attributes.
//! - If validation parses a value, parse it again in the evaluation, with the same function.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence". cf-agent always validates right
//! before it evaluates, so this defect never shows there.

use crate::partner::Comparison;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger};
use stickler_judge::{Relation, Role};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::ORDER], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (index, variant) in group.role(Role::Reversed) {
        Comparison::of("validated first, evaluated in another order").judge(
            group,
            (index, variant),
            ledger,
        );
    }
}
