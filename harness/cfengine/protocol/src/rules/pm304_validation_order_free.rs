//! # Promises may be validated first and evaluated later, in any order
//!
//! ## What it requires
//! When promises A and B are both validated, and then B is evaluated before A,
//! the outcomes are those of validating and evaluating A and then B: results,
//! result classes, effects.
//!
//! ## Why
//! A validation does not announce the next evaluation. A module that works with
//! what it remembers of the last (or the oldest) validation does one promise's
//! work with another's attributes as soon as an agent orders its requests
//! otherwise.
//!
//! ## How it is judged
//! Two sessions with promises whose effects are apart: one in pairs, one with
//! both validations first and the evaluations in reverse. Outcomes that differ
//! between two runs of the first session anyway are left out.
//!
//! cf-agent 3.21.0 always validates right before it evaluates, so this never
//! shows there.
//!
//! ## Example
//! A module puts the attributes of each validation into a queue and takes one
//! out for each evaluation: B is evaluated with A's attributes.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use stickler_judge::{Relation, Role};
use crate::partner::Comparison;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Order], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (index, variant) in group.role(Role::Reversed) {
        Comparison::of("validated first, evaluated in another order").judge(
            group,
            (index, variant),
            ledger,
        );
    }
}
