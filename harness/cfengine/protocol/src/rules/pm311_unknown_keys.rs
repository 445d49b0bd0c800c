//! # Keys that a module does not know change nothing
//!
//! ## What it requires
//! A request may have keys beside those that the module needs (`filename`,
//! `line_number`, and others that later agents may add), and its keys come in any
//! order. Neither changes the outcome.
//!
//! ## Why
//! Agents send more than the specification shows: cf-agent 3.21.0 adds the policy
//! file and the line to each request. A module that insists on an exact set or
//! order of keys breaks with the next agent, or works only with a test script.
//!
//! ## How it is judged
//! The same promises are sent as cf-agent sends them, as the specification writes
//! them, with a further key, and with the keys in another order. Results and
//! result classes are compared, in whichever direction they differ.
//!
//! ## Example
//! A shell module takes the second line of a request for the log level, wherever
//! that line says so or not.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol" and "Line based protocol".
//! The keys `filename` and `line_number` are cf-agent 3.21.0's alone.

use stickler_transcript::Role;
use stickler_judge::{Relation};
use crate::compare::pairs;
use crate::partner::{Comparison, at, graded, readable, unanswered};
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Keys], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (role, index, variant) in group.variants() {
        let what = match role {
            Role::Again => continue,
            Role::UnknownKey => "with an unknown key in the request",
            Role::OtherOrder => "with the keys of the request in another order",
            Role::Spec => "with the request as the specification writes it",
            _ => "with other keys in the request",
        };
        Comparison {
            pair: comparable,
            effects: false,
            ..Comparison::of(what)
        }
        .judge(group, (index, variant), ledger);
        agents_keys(group, (index, variant), ledger);
    }
}

/// Whether there is a key `attributes` at all is PM312's matter.
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
                format!("with the keys that the agent sends: {words}"),
            )
            .expected("the answer to the other form of the request")
            .also(at(index, after));
        ledger.report(graded(finding, before));
    }
}
