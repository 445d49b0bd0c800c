//! # The resource obeys its meta parameters
//!
//! ## What it requires
//! With `retry` and `delay`, `poll`, `limit` and `burst`, `timeout` and `sema`, a graph of the resource reaches
//! the same state as without.
//!
//! ## Why
//! They are the user's choice, and the resource does not know of them.
//!
//! ## How it is judged
//! - Judged: what `MetaParams` returns when the engine has set some; each example in a graph that the reference engine runs, with one of them; then new objects
//!   look at the state. For `retry`, a folder is in the way of its file until it has failed once.
//! - Not judged: what a graph without meta parameters does not bring about either, in one run; for `sema`,
//!   one with two resources.
//!
//! ## Example
//! After an error, a resource keeps a field that makes each later call fail, too.
//!
//! ## How to fix
//! Look at the system anew in each call.
//!
//! ## Source
//! mgmt's meta parameters.

use crate::graphs::{Ran, graphs};
use crate::phase;
use crate::relation;
use crate::session::{Call, Session};
use crate::visit::fate;
use stickler_judge::{Check, Defect, Group, Ledger, RunPlace, Variant};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[
    Check::Group(&[relation::GRAPHS], check),
    Check::Session(&[relation::POLLED], kept),
];

/// It never comes to rest.
const RESTLESS: Variant = Variant::new("restless");
/// The state is wrong afterwards.
const WRONG: Variant = Variant::new("wrong");

/// A graph with them is refused.
const REFUSED: Variant = Variant::new("refused");
/// They are not kept.
const LOST: Variant = Variant::new("lost");

/// Does the resource have the meta parameters that the engine has set?
fn kept(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::META).filter(|call| call.returns()) {
        let lost = call.answer.as_ref().and_then(|answer| answer.text("lost"));
        let broken = lost.map(|name| {
            LOST.says(format!(
                "the engine sets `{name}`, and `MetaParams` returns another value"
            ))
        });
        // That they are kept does not say that they work.
        if broken.is_some() {
            ledger.check(call.number, call.provenance, broken);
        }
    }
}

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, usual)) = group.baseline() else {
        return;
    };
    // The control: without meta parameters, one call is enough, in a world like that of the others.
    if !brings_about(usual) {
        return;
    }
    for (_, index, session) in group.variants() {
        judge(session, index, ledger);
    }
}

/// Is the state right after one graph without meta parameters?
fn brings_about(usual: &Session) -> bool {
    let graphs = graphs(usual);
    let named = |name: &str| graphs.iter().find(|graph| graph.name == name);
    let rests = |graph: &Ran<'_>| graph.went != "restless";
    match (named("plain"), named("again"), named("pair"), named("look")) {
        (Some(plain), Some(again), ..) => rests(plain) && is_done_at_once(plain) && is_right(again),
        (_, _, Some(pair), Some(look)) => rests(pair) && is_done_at_once(pair) && is_right(look),
        _ => false,
    }
}

/// Does each resource change something at most once? With `poll`, no event leads to another call soon.
fn is_done_at_once(graph: &Ran<'_>) -> bool {
    let changes = graph
        .calls
        .iter()
        .filter(|call| fate(call) == Some(Fate::Changed));
    let mut changed: Vec<&str> = changes.map(|call| call.resource()).collect();
    let all = changed.len();
    changed.sort_unstable();
    changed.dedup();
    changed.len() == all
}

fn judge(session: &Session, index: usize, ledger: &mut Ledger) {
    let graphs = graphs(session);
    let named = |name: &str| graphs.iter().find(|graph| graph.name == name);
    let all = (named("meta"), named("look"), named("look again"));
    let (Some(meta), Some(look), Some(control)) = all else {
        return;
    };
    let Some(last) = meta.calls.last() else {
        return;
    };
    // The control: without meta parameters, it becomes right, and comes to rest, here, too.
    let plain = named("plain").or(named("pair"));
    if !is_right(control) || plain.is_some_and(|plain| plain.went == "restless") {
        return;
    }
    let what = what(meta);
    let (call, broken) = match () {
        () if meta.went == "restless" => {
            let defect = RESTLESS.says(format!("with {what}, a graph of it never comes to rest"));
            (meta.unrest(), Some(defect))
        }
        () if meta.went == "refused" => {
            let fails = |call: &&&Call| call.why_it_fails().is_some();
            let call = meta.calls.iter().rev().find(fails).copied();
            let why = call.and_then(Call::why_it_fails);
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            let defect = REFUSED.says(format!("with {what}, a graph of it is refused{why}"));
            (call, Some(defect))
        }
        () if meta.went == "converged" && !is_right(look) => {
            // The last call that was to make it right. What ends with the graph may fail in other ways.
            let last = meta.last_check(|call| call.has("apply"));
            let why = last.and_then(Call::why_it_fails);
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            let defect = WRONG.says(format!("with {what}, the state does not become right{why}"));
            (last, Some(defect))
        }
        () => (None, None),
    };
    let call = call.unwrap_or(last);
    let place = RunPlace::at(index, call.number);
    let Some(defect) = broken else {
        ledger.check_at(place, call.provenance, None::<Defect>);
        return;
    };
    let mut finding = ledger.finding_at(place, defect);
    let wrong = look.last_check(|call| !finds_right(call));
    if let Some(wrong) = wrong.filter(|_| meta.went == "converged") {
        finding = finding.also(RunPlace::at(index, wrong.number));
    }
    ledger.report(finding.graded(call.provenance));
}

/// Did all objects that looked find the state right?
fn is_right(graph: &Ran<'_>) -> bool {
    let mut calls = graph
        .calls
        .iter()
        .filter(|call| call.phase == phase::CHECKAPPLY)
        .peekable();
    calls.peek().is_some() && calls.all(|call| finds_right(call))
}

/// Does a call find the state right?
fn finds_right(call: &Call) -> bool {
    call.succeeds() && call.ok() == Some(true)
}

/// The meta parameters, in words.
fn what(graph: &Ran<'_>) -> String {
    let mut calls = graph.calls.iter().filter(|call| call.phase == phase::META);
    let known = ["retry", "poll", "limit", "timeout", "sema"];
    let given = calls.find_map(|call| {
        let meta = call.params.as_ref()?.get("meta")?.clone();
        known.into_iter().find(|name| meta.get(name).is_some())
    });
    given.map_or_else(|| "a meta parameter".to_owned(), |name| format!("`{name}`"))
}
