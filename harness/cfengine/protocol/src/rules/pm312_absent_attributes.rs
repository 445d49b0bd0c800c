//! # A request without `attributes` is a promise without attributes
//!
//! ## What it requires
//! A request without the key `attributes` has the outcome of a request whose `attributes` are
//! empty.
//!
//! ## Why
//! cf-agent omits the key if a promise has no attributes. A module that requires the key
//! crashes on the simplest use of its promise type.
//!
//! ## How it is judged
//! - Judged: the same promise with an empty object and without the key: results and result
//!   classes must be the same. A module may call both `invalid`.
//! - Not judged: the line protocol, in which both requests look alike; effects.
//!
//! ## Example
//! `request["attributes"].items()` ends a Python module with a `KeyError`.
//!
//! ## How to fix
//! Use empty attributes if the key is absent:
//! - Python: `request.get("attributes", {})`. Node: `request.attributes ?? {}`.
//! - Ruby: `request["attributes"] || {}`. Perl: `$request->{attributes} // {}`. jq:
//!   `.attributes // {}`.
//!
//! If the promise type requires an attribute, answer `invalid`.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol", which does not say that the key may be
//! absent; requests of cf-agent, which omits it.

use crate::partner::Comparison;
use crate::relation;
use crate::session::{Exchange, Session};
use stickler_judge::Role;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[relation::ATTRIBUTES], check)];

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
