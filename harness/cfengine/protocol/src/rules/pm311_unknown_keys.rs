//! # Unknown keys and the order of keys change nothing
//!
//! ## What it requires
//! Keys that the module does not need, and the order of a request's keys, do not change the
//! outcome.
//!
//! ## Why
//! Agents send more than the specification shows: cf-agent adds the policy file and the line to
//! each request. A module that insists on a set or order of keys breaks with the next agent.
//!
//! ## How it is judged
//! - Judged: the same promises as cf-agent sends them, as the specification writes them, with
//!   another key, and with the keys in another order. Results and result classes must be the
//!   same.
//! - Judged: the request as cf-agent sends it gets no answer, although another form does.
//! - Not judged: effects; whether there is a key `attributes` (PM312).
//!
//! ## Example
//! A shell module takes the second line of a request as the log level.
//!
//! ## How to fix
//! Look up each key by its name, and ignore other keys of the request:
//! - Shell: `case $line in operation=*) … ;; promiser=*) … ;; *=*) ;; *) broken=yes ;; esac`
//! - Go: no `DisallowUnknownFields`. Rust: no `deny_unknown_fields`. Jackson: switch
//!   `FAIL_ON_UNKNOWN_PROPERTIES` off.
//!
//! Unknown attributes are another matter (PM907).
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol" and "Line based protocol". cf-agent also
//! sends the keys `filename` and `line_number`, which the specification does not name.

use crate::compare::pairs;
use crate::partner::{Comparison, at, graded, readable, unanswered};
use crate::relation;
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Group, Ledger, Role, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[relation::KEYS], check)];

/// A key that the module does not know.
const UNKNOWN_KEY: Variant = Variant::new("unknown-key");
/// Keys in another order.
const ORDER: Variant = Variant::new("other-order");
/// The request as the specification writes it.
const SPEC: Variant = Variant::new("spec-request");
/// Other keys.
const OTHER_KEYS: Variant = Variant::new("other-keys");
/// The agent's own request.
const AGENTS_KEYS: Variant = Variant::new("agent-keys");

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (role, index, variant) in group.variants() {
        let (defect, what) = match role {
            Role::Again => continue,
            Role::UnknownKey => (UNKNOWN_KEY, "with an unknown key in the request"),
            Role::OtherOrder => (ORDER, "with the keys of the request in another order"),
            Role::Spec => (SPEC, "with the request as the specification writes it"),
            _ => (OTHER_KEYS, "with other keys in the request"),
        };
        Comparison {
            pair: comparable,
            effects: false,
            defect: Some(defect),
            ..Comparison::of(what)
        }
        .judge(group, (index, variant), ledger);
        agents_keys(group, (index, variant), ledger);
    }
}

/// Do both have a key `attributes`, or neither? PM312 judges its absence.
fn comparable(before: &Exchange, after: &Exchange) -> bool {
    let present = |exchange: &Exchange| {
        exchange
            .request
            .as_ref()
            .map(|request| request.attributes.is_some())
    };
    present(before) == present(after)
}

/// Does the module serve the request of the specification, but not the agent's?
fn agents_keys(
    group: &Group<'_, Session>,
    (index, variant): (usize, &Session),
    ledger: &mut Ledger,
) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    for (before, after) in pairs(baseline, variant) {
        if !comparable(before, after) || !readable(after) {
            continue;
        }
        let Some(words) = unanswered(before) else {
            continue;
        };
        let finding = ledger
            .finding_at(
                at(partner, before),
                AGENTS_KEYS.says(format!("with the keys that the agent sends: {words}")),
            )
            .expected("the answer to the other form of the request")
            .also(at(index, after));
        ledger.report(graded(finding, before));
    }
}
