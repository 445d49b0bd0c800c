//! Resources that one of them can run together.

use std::cmp::Reverse;

use serde_json::Value as Json;

use crate::plan::Plan;
use crate::resource::Resource;
use crate::trace::{Lane, Trace, add_error};

/// Groups what can be grouped; what it says of it.
pub fn auto_group<R: Resource>(
    plan: &mut Plan<R>,
    trace: &mut Trace,
    now: u64,
) -> Result<Vec<String>, String> {
    plan.sorted()
        .map_err(|_| "autogrouping failed: the TopologicalSort failed: not a dag")?;
    let mut places = plan.places();
    places.retain(|place| {
        plan.nodes[*place]
            .as_ref()
            .is_some_and(|node| node.traits.group && !node.meta.autogroup_disabled)
    });
    // Deep kinds first, so that a kind between can take them and then be taken itself.
    places.sort_by_cached_key(|place| {
        let node = plan.nodes[*place].as_ref();
        Reverse(node.map(|node| {
            let kind = node.resource.kind().to_owned();
            (
                kind.split(':').count(),
                kind,
                node.resource.name().to_owned(),
            )
        }))
    });
    let mut said = Vec::new();
    for head in &places {
        if plan.nodes[*head].is_none() {
            continue;
        }
        for member in &places {
            if head != member && takes(plan, *head, *member, trace, now) {
                said.push(merge(plan, *head, *member)?);
            }
        }
    }
    Ok(said)
}

fn takes<R: Resource>(
    plan: &mut Plan<R>,
    head: usize,
    member: usize,
    trace: &mut Trace,
    now: u64,
) -> bool {
    let Some(mut one) = plan.nodes[head].take() else {
        return false;
    };
    let answer = plan.nodes[member].as_ref().is_some_and(|other| {
        let first = |kind: &str| kind.split(':').next().unwrap_or_default().to_owned();
        let (kind, other_kind) = (one.resource.kind(), other.resource.kind());
        // A head is not taken by its own kind.
        if first(kind) != first(other_kind) || (kind == other_kind && !other.members.is_empty()) {
            return false;
        }
        let answer = one.resource.group_cmp(&other.resource);
        trace.note(one.id, Lane::Life, now, "groupcmp", |fields| {
            fields.insert("with".to_owned(), Json::from(other.label.as_str()));
            add_error(fields, &answer);
        });
        answer.is_ok()
    });
    plan.nodes[head] = Some(one);
    answer && !plan.connected(head, member)
}

fn merge<R: Resource>(plan: &mut Plan<R>, head: usize, member: usize) -> Result<String, String> {
    let Some(other) = plan.nodes[member].take() else {
        return Ok(String::new());
    };
    plan.move_edges(member, head);
    let Some(one) = plan.nodes[head].as_mut() else {
        return Ok(String::new());
    };
    one.resource.group(&other.resource)?;
    let line = format!("autogroup: {} into {}", other.key, one.key);
    one.join_semas(&other.meta.sema);
    one.members.push(other);
    Ok(line)
}
