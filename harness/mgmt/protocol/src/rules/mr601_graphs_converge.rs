//! # A graph of it converges
//!
//! ## What it requires
//! A graph of the resource comes to rest. With noop it changes nothing. A second run, with new objects, has
//! nothing to do.
//!
//! ## Why
//! This is what a user of mgmt sees of a resource.
//!
//! ## How it is judged
//! - Judged: each example in a graph that the reference engine runs, `Watch` included: with noop, as it
//!   is, and once more with new objects.
//! - Not judged: a second run of examples whose second outcome is declared as `changed`.
//!
//! ## Example
//! `Watch` sends an event for each write, and `CheckApply` writes each time.
//!
//! ## How to fix
//! Let `CheckApply` do nothing if the state is right.
//!
//! ## Source
//! mgmt's engine.

use crate::graphs::{Ran, graphs};
use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_reading::words::visible;
use stickler_reading::{never_counts, within};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[Relation::Policies], check)];

/// It never comes to rest.
const RESTLESS: Variant = Variant::new("restless");
/// Noop changes something.
const NOOP: Variant = Variant::new("noop");
/// A second run has something to do.
const AGAIN: Variant = Variant::new("again");
/// It ends the host.
const LOST: Variant = Variant::new("lost");

fn check(session: &Session, ledger: &mut Ledger) {
    let item = session.case().items.first();
    let expect = item.map(|item| item.expect.as_slice()).unwrap_or_default();
    let changes_again = expect
        .get(1)
        .or(expect.last())
        .is_some_and(|word| word != "ok");
    for graph in graphs(session) {
        let Some(last) = graph.calls.last() else {
            continue;
        };
        let broken = match graph.name {
            "noop" | "plain" | "again" if graph.went == "restless" => {
                Some(RESTLESS.says("a graph of it never comes to rest"))
            }
            "noop" | "plain" | "again" if graph.went.is_empty() => {
                let why = super::host_ended(last)
                    .or_else(|| super::hangs(last).then(|| "no answer in time".to_owned()));
                why.map(|why| LOST.says(format!("a graph of it ends mgmt: {why}")))
            }
            "noop" => {
                let mut changes = graph.changes.iter();
                // `Watch` may have temporary files while it runs.
                let temporary = session
                    .environment("TMPDIR")
                    .unwrap_or(b"/tmp/stickler/tmp");
                let is_temporary = |path: &[u8]| within(path, temporary);
                let change = changes.find(|change| {
                    !never_counts(change, session.case()) && !is_temporary(&change.path)
                });
                change.map(|change| {
                    NOOP.says(format!(
                        "with noop, a graph of it changes {}",
                        visible(&change.path)
                    ))
                })
            }
            "again" if !changes_again => works_again(&graph),
            "plain" | "again" => None,
            _ => continue,
        };
        ledger.check(last.number, last.provenance, broken);
    }
}

/// Does a second run change something?
fn works_again(graph: &Ran<'_>) -> Option<stickler_judge::Defect> {
    let mut calls = graph
        .calls
        .iter()
        .filter(|call| call.phase == phase::CHECKAPPLY);
    let changed =
        calls.any(|call| call.has("apply") && call.succeeds() && call.ok() == Some(false));
    changed.then(|| AGAIN.says("in a second run with new objects, it changes something again"))
}
