//! # A graph swap keeps an equal resource and replaces a different one
//!
//! ## What it requires
//! If an equal graph takes the place of the running one, the resource stays. If one of its fields differs, a
//! new one takes its place and does its work. When all has ended, nothing is left.
//!
//! ## Why
//! mgmt makes a new graph whenever something changes. A resource that is replaced each time restarts what it
//! watches; one that is never replaced ignores what the user has changed.
//!
//! ## How it is judged
//! - Judged: each example in a running graph, then an equal one, then one with another value in a field;
//!   what the host counts before and after.
//! - Judged, in campaigns: an object that takes the place of one with other values, and fails, while an equal one
//!   works in a new process.
//! - Not judged: values that `Validate` refuses; what `Init` with `Cleanup`, or `Watch` alone, leaves (MR206, MR305), or
//!   calls of `CheckApply` keep open (MR118); programs that `CheckApply` has started, and what waits for them.
//!
//! ## Example
//! `Cleanup` does not wait for the goroutine that `Init` has started.
//!
//! ## How to fix
//! Compare all fields in `Cmp`; free in `Cleanup` what `Init` has made.
//!
//! ## Source
//! mgmt's engine: graph swap.

use crate::counts::{DESCRIPTORS, MayStay, More, all_more};
use crate::graphs::{Ran, graphs};
use crate::phase;
use crate::relation;
use crate::replaced::{replaced, why_it_fails, works};
use crate::session::{Call, Session};
use crate::visit::fate;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::GRAPHS], check)];

/// An equal one takes its place.
const REPLACED: Variant = Variant::new("replaced");
/// One that differs does not.
const KEPT: Variant = Variant::new("kept");
/// The new one does not do its work.
const IDLE: Variant = Variant::new("idle");
/// The new one fails since the old one was there.
const STUMBLES: Variant = Variant::new("stumbles");
/// Something is left.
const LEAKS: Variant = Variant::new("leaks");

fn check(session: &Session, ledger: &mut Ledger) {
    alone(session, ledger);
    let graphs = graphs(session);
    let named = |name: &str| {
        graphs
            .iter()
            .find(|graph| graph.name == name && graph.went == "converged")
    };
    if named("first").is_none() {
        return;
    }
    if let Some((last, graph)) = named("equal").and_then(|graph| Some((graph.calls.last()?, graph)))
    {
        let begun = begins(graph);
        let broken =
            begun.map(|_| REPLACED.says("an equal resource takes its place, and it begins anew"));
        // What says that they differ is at fault, if something does.
        let compared = compared(graph).filter(|call| call.why_it_fails().is_some());
        let call = begun.and(compared.or(begun)).unwrap_or(last);
        ledger.check(call.number, call.provenance, broken);
    }
    if let Some((last, graph)) = named("other").and_then(|graph| Some((graph.calls.last()?, graph)))
    {
        let works = |call: &Call| fate(call).is_some();
        let (call, broken) = match begins(graph) {
            None => {
                let text = "a resource with another value does not take its place";
                (compared(graph), Some(KEPT.says(text)))
            }
            Some(begun) if graph.last_check(works).is_none() => {
                let text = "the resource that takes its place is never applied";
                (Some(begun), Some(IDLE.says(text)))
            }
            Some(_) => (None, None),
        };
        let call = call.unwrap_or(last);
        ledger.check(call.number, call.provenance, broken);
    }
    // The host of a resource that never ends is another rule's.
    let hangs = session
        .calls(phase::CANCEL)
        .any(|call| crate::watched::has_ended(call) == Some(false));
    let counts: Vec<&Call> = session.calls(phase::COUNTS).collect();
    if let [bare @ .., before, after] = counts.as_slice()
        && !hangs
    {
        // What it leaves without a graph, too, is other rules' matter.
        let own = match bare {
            [first, begun, .., watched, applied] => {
                let mut own = all_more(first, begun, MayStay::Nothing);
                own.extend(all_more(begun, watched, MayStay::Nothing));
                // Descriptors alone have a rule for calls of `CheckApply`.
                let mut applied = all_more(watched, applied, MayStay::Programs);
                applied.retain(|more| more.name == DESCRIPTORS);
                own.extend(applied);
                own
            }
            _ => Vec::<More>::new(),
        };
        let mut left = all_more(before, after, MayStay::Programs).into_iter();
        let left = left.find(|more| !own.iter().any(|known| more.is_like(known)));
        let broken = left.map(|more| {
            let (words, origin) = (more.words, more.origin);
            LEAKS.says(format!("when all has ended, there is {words} more{origin}"))
        });
        ledger.check_against(before.number, after.number, after.provenance, broken);
    }
}

/// The first call of `Init` in a graph.
fn begins<'s>(graph: &Ran<'s>) -> Option<&'s Call> {
    graph
        .calls
        .iter()
        .find(|call| call.phase == phase::INIT)
        .copied()
}

/// Does an object fail that takes the place of another one, and works alone?
fn alone(session: &Session, ledger: &mut Ledger) {
    for swap in replaced(session) {
        let Some((call, why)) = why_it_fails(&swap.calls) else {
            if let Some(call) = swap.calls.get(1) {
                ledger.pass(call.number);
            }
            continue;
        };
        let Some(control) = swap.alone.last().filter(|_| works(&swap.alone)) else {
            continue;
        };
        if session.changed_between(call, control) {
            continue;
        }
        let broken = STUMBLES.says(format!(
            "an object with other values takes its place, and {why}; in a new process, it works"
        ));
        ledger.check_against(control.number, call.number, call.provenance, Some(broken));
    }
}

/// The last comparison in a graph.
fn compared<'s>(graph: &Ran<'s>) -> Option<&'s Call> {
    let mut calls = graph.calls.iter().rev();
    calls.find(|call| call.phase == phase::CMP).copied()
}
