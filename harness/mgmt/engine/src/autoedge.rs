//! Edges between resources that ask for each other by UID.

use std::collections::HashMap;

use serde_json::Value as Json;

use crate::plan::{Plan, PlanEdge};
use crate::resource::{Resource, Uid};
use crate::trace::{Lane, Trace};

/// Adds the automatic edges; what it says of them. All are asked before an error counts.
pub fn auto_edges<R: Resource>(
    plan: &mut Plan<R>,
    trace: &mut Trace,
    now: u64,
) -> Result<Vec<String>, String> {
    let mut places: Vec<usize> = plan.places();
    places.retain(|place| {
        plan.nodes[*place]
            .as_ref()
            .is_some_and(|node| node.traits.edge && !node.meta.autoedge_disabled)
    });
    places.sort_by_key(|place| plan.nodes[*place].as_ref().map(|node| node.key.clone()));

    let mut errors = Vec::new();
    let mut wanting = Vec::new();
    for place in &places {
        let Some(node) = plan.nodes[*place].as_mut() else {
            continue;
        };
        let answer = node.resource.auto_edges();
        trace.note(
            node.id,
            Lane::Life,
            now,
            "autoedges",
            |fields| match &answer {
                Ok(true) => {}
                Ok(false) => {
                    fields.insert("none".to_owned(), Json::Bool(true));
                }
                Err(error) => {
                    fields.insert("err".to_owned(), Json::from(error.as_str()));
                }
            },
        );
        match answer {
            Ok(true) => wanting.push(*place),
            Ok(false) => {}
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(format!("the auto edges had errors: {}", several(&errors)));
    }

    let mut owners: HashMap<Uid, Vec<usize>> = HashMap::new();
    for place in &places {
        let Some(node) = plan.nodes[*place].as_mut() else {
            continue;
        };
        let uids = node.resource.uids();
        trace.note(node.id, Lane::Life, now, "uids", |fields| {
            fields.insert("uids".to_owned(), names(uids.iter()));
        });
        for uid in uids {
            owners.entry(uid).or_default().push(*place);
        }
    }

    let mut said = Vec::new();
    for place in wanting {
        while let Some(node) = plan.nodes[place].as_mut() {
            let batch = node.resource.next_uids();
            trace.note(node.id, Lane::Life, now, "autoedge_next", |fields| {
                let uids = batch.as_ref().map_or(Json::Null, |batch| {
                    names(batch.iter().map(|wanted| &wanted.uid))
                });
                fields.insert("uids".to_owned(), uids);
            });
            let Some(batch) = batch else { break };
            let mut found = Vec::new();
            for wanted in batch {
                // Only the first owner counts, and nobody finds itself.
                let owner = owners
                    .get(&wanted.uid)
                    .and_then(|owners| owners.iter().copied().find(|owner| *owner != place));
                found.push(owner.is_some());
                let Some(owner) = owner else { continue };
                let (from, to) = if wanted.reversed {
                    (owner, place)
                } else {
                    (place, owner)
                };
                let key = |at: usize| plan.nodes[at].as_ref().map_or("", |node| &node.key);
                let name = format!("{} -> {}", key(from), key(to));
                said.push(format!("autoedge: {name}"));
                plan.add_edge(PlanEdge {
                    from,
                    to,
                    name,
                    notify: false,
                });
            }
            let Some(node) = plan.nodes[place].as_mut() else {
                break;
            };
            let more = node.resource.test_uids(&found);
            trace.note(node.id, Lane::Life, now, "autoedge_test", |fields| {
                fields.insert("found".to_owned(), Json::from(found));
                fields.insert("continue".to_owned(), Json::Bool(more));
            });
            if !more {
                break;
            }
        }
    }
    Ok(said)
}

fn names<'a>(uids: impl Iterator<Item = &'a Uid>) -> Json {
    let names: Vec<Json> = uids.map(|uid| Json::from(uid.0.as_str())).collect();
    if names.is_empty() {
        Json::Null
    } else {
        Json::Array(names)
    }
}

/// Several errors as one, in the engine's layout.
pub fn several(errors: &[String]) -> String {
    if let [only] = errors {
        return only.clone();
    }
    let lines: String = errors.iter().map(|error| format!("\t* {error} ")).collect();
    format!("{} errors occurred: {lines} ", errors.len())
}
