//! # A graph with the resource converges
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
use crate::relation;
use crate::session::{Call, Session};
use crate::visit;
use stickler_judge::{Check, Defect, Ledger, Variant};
use stickler_reading::words::visible;
use stickler_reading::{never_counts, within};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::GRAPHS], check)];

/// So many events of one graph are worth a word.
const MANY: usize = 300;

/// It never comes to rest.
const RESTLESS: Variant = Variant::new("restless");
/// Noop changes something.
const NOOP: Variant = Variant::new("noop");
/// A second run has something to do.
const AGAIN: Variant = Variant::new("again");
/// A second run is refused.
const REFUSED: Variant = Variant::new("refused");
/// It ends the host.
const LOST: Variant = Variant::new("lost");

fn check(session: &Session, ledger: &mut Ledger) {
    let item = session.case().items.first();
    let expect = item.map(|item| item.expect.as_slice()).unwrap_or_default();
    let changes_again = expect
        .get(1)
        .or(expect.last())
        .is_some_and(|word| word != "ok");
    let all = graphs(session);
    for (at, graph) in all.iter().enumerate() {
        let Some(last) = graph.calls.last() else {
            continue;
        };
        let (call, broken) = match graph.name {
            "noop" | "plain" | "again" if graph.went == "restless" => {
                let defect = RESTLESS.says(format!(
                    "a graph of it never comes to rest{}",
                    unrest(graph)
                ));
                (graph.unrest(), Some(defect))
            }
            "noop" | "plain" | "again" if graph.went.is_empty() => {
                let why = super::host_ended(last)
                    .or_else(|| super::hangs(last).then(|| "no answer in time".to_owned()));
                let defect = why.map(|why| LOST.says(format!("a graph of it ends mgmt: {why}")));
                (Some(*last), defect)
            }
            // What ran once has to be able to run again, in the same machine.
            "plain" | "again"
                if graph.went == "refused"
                    && all[..at].iter().any(|other| other.went == "converged") =>
            {
                let fails = |call: &&&Call| call.why_it_fails().is_some();
                let call = graph.calls.iter().rev().find(fails).copied();
                let why = call.and_then(|call| Some((call.phase.name(), call.why_it_fails()?)));
                let why =
                    why.map_or_else(String::new, |(method, why)| format!(": `{method}`: {why}"));
                let defect = REFUSED.says(format!("a second run with new objects is refused{why}"));
                (call, Some(defect))
            }
            "noop" => (graph.last_check(|_| true), changes(session, graph)),
            "again" if !changes_again => {
                let works = graph.last_check(works_again);
                let defect = works.map(|_| {
                    AGAIN.says("in a second run with new objects, it changes something again")
                });
                (works, defect)
            }
            "plain" | "again" => (None, None),
            _ => continue,
        };
        let call = call.unwrap_or(last);
        let place = ledger.place(call.number);
        ledger.check_with(place, call.provenance, broken, |finding| {
            match finding.variant == NOOP {
                // Where a call does so in sessions without an engine, too.
                true => finding.follows("MR104"),
                false => finding,
            }
        });
    }
}

/// Does a graph change something that it must not change?
fn changes(session: &Session, graph: &Ran<'_>) -> Option<Defect> {
    let mut changes = graph.changes.iter();
    // `Watch` may have temporary files while it runs.
    let temporary = session
        .environment("TMPDIR")
        .unwrap_or(b"/tmp/stickler/tmp");
    let is_temporary = |path: &[u8]| within(path, temporary);
    let change = changes
        .find(|change| !never_counts(change, session.case()) && !is_temporary(&change.path))?;
    let path = visible(&change.path);
    Some(NOOP.says(format!("with noop, a graph of it changes {path}")))
}

/// What keeps a graph from coming to rest, in words, if that is its events alone.
fn unrest(graph: &Ran<'_>) -> String {
    let events = graph.calls.iter().flat_map(|call| &call.told);
    let events = events.filter(|told| told.method == "event").count();
    let mut applied = graph
        .calls
        .iter()
        .filter(|call| visit::fate(call).is_some());
    let works = applied.any(|call| visit::fate(call) != Some(Fate::Unchanged));
    match (events, works) {
        (MANY.., false) => format!(": `Watch` sends {events} events, though nothing changes"),
        (MANY.., true) => format!(": `Watch` sends {events} events"),
        _ => String::new(),
    }
}

/// Does a call change something?
fn works_again(call: &Call) -> bool {
    call.has("apply") && call.succeeds() && call.ok() == Some(false)
}
