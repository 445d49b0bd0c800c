//! # mgmt's own engine and the reference engine agree
//!
//! ## What it requires
//! In one graph, from one state, both engines make the same calls of `CheckApply`, which come to the same, and
//! both call what comes first in the graph first.
//!
//! ## Why
//! What the suite says of a resource holds for mgmt only if mgmt treats it as the suite does.
//!
//! ## How it is judged
//! - Judged, with `stickler check --with-engine`: each example alone, with noop, as it is, and once more; and
//!   before another one that it notifies.
//! - Not judged: how often an engine finds the state right again, since that depends on the time of
//!   events.
//!
//! ## Example
//! A resource has a method `MetaParams` of its own, and says noop to the engine whatever the graph says.
//!
//! ## How to fix
//! Embed `traits.Base` and leave its methods alone; give what a resource needs in its fields.
//!
//! ## Source
//! mgmt's package `engine/graph`.

use crate::graphs::{Ran, graphs};
use crate::message::text;
use crate::phase;
use crate::relation;
use crate::session::{Call, Session};
use std::collections::BTreeMap;
use stickler_json::Json;
use stickler_judge::{Check, Defect, Group, Ledger, RunPlace, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[relation::ENGINES], compare)];

/// The calls come to something else.
const CALLS: Variant = Variant::new("calls");
/// The order of first calls differs.
const ORDER: Variant = Variant::new("order");
/// One engine takes the graph, and the other one does not.
const REFUSED: Variant = Variant::new("refused");

/// What the calls of `CheckApply` of one resource come to, one after the other.
type Visits = Vec<&'static str>;

/// The resources of a graph in the order of their first calls, and their visits.
#[derive(Default)]
struct Calls {
    order: Vec<String>,
    visits: BTreeMap<String, Visits>,
}

impl Calls {
    fn add(&mut self, resource: String, visit: &'static str) {
        if !self.order.contains(&resource) {
            self.order.push(resource.clone());
        }
        let visits = self.visits.entry(resource).or_default();
        // An event more or less leads to a call that finds what the one before left.
        if visits.last() != Some(&visit) && (visit != RIGHT || visits.is_empty()) {
            visits.push(visit);
        }
    }
}

const RIGHT: &str = "the state is right";

fn visit(apply: bool, ok: bool, failed: bool) -> &'static str {
    match (failed, ok, apply) {
        (true, ..) => "an error",
        (false, true, _) => RIGHT,
        (false, false, true) => "a change",
        (false, false, false) => "the state is wrong",
    }
}

fn compare(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, reference)) = group.baseline() else {
        return;
    };
    let usual = graphs(reference);
    for (_, index, session) in group.variants() {
        for graph in graphs(session) {
            let same = usual.iter().find(|one| one.name == graph.name);
            let call = graph.calls.iter().find(|call| call.phase == phase::ENGINE);
            let (Some(same), Some(call)) = (same, call) else {
                continue;
            };
            // What comes to no end is other rules' matter.
            if !call.returns() || same.went.is_empty() || same.went == "unread" {
                continue;
            }
            let broken = difference(same, &graph, call);
            let place = RunPlace::at(index, call.number);
            ledger.check_at(place, call.provenance, broken);
        }
    }
}

fn difference(reference: &Ran<'_>, own: &Ran<'_>, call: &Call) -> Option<Defect> {
    let refused = call.answer.as_ref()?.text("went").as_deref() == Some("refused");
    if refused != (reference.went == "refused") {
        let why = call.error().unwrap_or_default();
        return Some(match refused {
            true => REFUSED.says(format!("mgmt's own engine refuses a graph of it: {why}")),
            false => {
                REFUSED.says("mgmt's own engine takes a graph that the reference engine refuses")
            }
        });
    }
    let (usual, seen) = (by_reference(reference), by_own(own, call));
    let nothing = Visits::new();
    let all = usual.visits.keys().chain(seen.visits.keys());
    for resource in all {
        let of = |calls: &Calls| {
            let visits = calls.visits.get(resource).unwrap_or(&nothing);
            match visits.is_empty() {
                true => "no call".to_owned(),
                false => visits.join(", then "),
            }
        };
        let (usual, seen) = (of(&usual), of(&seen));
        if usual != seen {
            return Some(CALLS.says(format!(
                "in mgmt's own engine, `CheckApply` of {resource} comes to {seen}; in the reference engine, to {usual}"
            )));
        }
    }
    let place = |calls: &Calls, key: &String| calls.order.iter().position(|one| one == key);
    edges(own, call).into_iter().find_map(|(from, to)| {
        let (from_at, to_at) = (place(&seen, &from)?, place(&seen, &to)?);
        (to_at < from_at).then(|| ORDER.says(format!("mgmt's own engine calls {to} before {from}")))
    })
}

/// The resources that a graph made: their names by their labels.
fn names(graph: &Ran<'_>) -> BTreeMap<String, String> {
    let made = graph.calls.iter().filter(|call| call.phase == phase::NEW);
    let named = made.filter_map(|call| {
        let name = format!("{}[{}]", call.param("kind")?, call.param("name")?);
        Some((call.resource().to_owned(), name))
    });
    named.collect()
}

fn by_reference(graph: &Ran<'_>) -> Calls {
    let names = names(graph);
    let mut calls = Calls::default();
    let visits = graph.calls.iter();
    for call in visits.filter(|call| call.phase == phase::CHECKAPPLY) {
        let failed = call.why_it_fails().is_some();
        let ok = call.ok() == Some(true);
        if let Some(name) = names.get(call.resource()) {
            calls.add(name.clone(), visit(call.has("apply"), ok, failed));
        }
    }
    calls
}

fn by_own(graph: &Ran<'_>, call: &Call) -> Calls {
    let names = names(graph);
    let mut calls = Calls::default();
    let told = call
        .answer
        .as_ref()
        .and_then(|answer| answer.member("calls"));
    for one in told.and_then(Json::as_array).unwrap_or_default() {
        let truth = |key: &str| one.get(key) == Some(&Json::Bool(true));
        let failed = one.get("error").is_some_and(|error| *error != Json::Null);
        let label = one.get("resource").and_then(text).unwrap_or_default();
        let name = names.get(&label).cloned().unwrap_or(label);
        calls.add(name, visit(truth("apply"), truth("ok"), failed));
    }
    calls
}

/// The edges that the engine was given, by names.
fn edges(graph: &Ran<'_>, call: &Call) -> Vec<(String, String)> {
    let names = names(graph);
    let list = |key: &str| {
        let params = call.params.as_ref();
        params
            .and_then(|params| params.get(key)?.as_array())
            .unwrap_or_default()
    };
    let labels = list("resources");
    let at = |edge: &Json, key: &str| {
        let Json::Number(place) = edge.get(key)? else {
            return None;
        };
        let label = text(labels.get(place.parse::<usize>().ok()?)?)?;
        names.get(&label).cloned()
    };
    let edges = list("edges").iter();
    edges
        .filter_map(|edge| Some((at(edge, "from")?, at(edge, "to")?)))
        .collect()
}
