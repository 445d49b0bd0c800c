//! # A request without `attributes` is a promise without attributes
//!
//! ## What it requires
//! A request that has no key `attributes` has the outcome of one whose
//! `attributes` are empty.
//!
//! ## Why
//! cf-agent leaves the key out where a promise has no attributes. A module that
//! takes it for granted dies of its own promise type's simplest use.
//!
//! ## How it is judged
//! The same promise is sent with an empty object and without the key, and the
//! results and result classes are compared. A module may call both `invalid`.
//! In the line protocol the two look alike, and nothing is judged.
//!
//! The specification does not say that the key may be absent; cf-agent 3.21.0
//! leaves it out.
//!
//! ## Example
//! `request["attributes"].items()` ends a Python module with a `KeyError`.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol"; requests of cf-agent 3.21.0.

use stickler_judge::{Relation, Role};
use crate::partner::Comparison;
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Attributes], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (index, variant) in group.role(Role::Absent) {
        Comparison {
            pair: |before, after| !has_attributes(after) && before.sent != after.sent,
            effects: false,
            ..Comparison::of("without the key `attributes`")
        }
        .judge(group, (index, variant), ledger);
    }
}

fn has_attributes(exchange: &Exchange) -> bool {
    exchange
        .request
        .as_ref()
        .is_some_and(|request| request.attributes.is_some())
}
