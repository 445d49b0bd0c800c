//! Several runs of a case as one recording.

use crate::play::LANES;
use mgmt_engine::{Lane, Seen, SeenItem, SeenVertex};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What was observed in runs, in the form of the fixture. Of the pairs of the order, those stay that held in each run.
pub(crate) fn merged(runs: &[Seen], before: &Value, timing: bool) -> Value {
    let mut stable = true;
    let phases = runs.iter().map(|run| run.phases.len()).max();
    let phases: Vec<Value> = (0..phases.unwrap_or_default())
        .map(|at| {
            let ways = runs.iter().map(|run| match run.phases.get(at) {
                Some(phase) => Value::Object(phase.clone()),
                None => Value::Null,
            });
            match counted(ways).as_slice() {
                [(only, _)] => only.clone(),
                several => {
                    stable = false;
                    let ways = several.iter();
                    let ways = ways.map(|(value, count)| json!({ "count": count, "value": value }));
                    json!({ "variants": ways.collect::<Vec<_>>() })
                }
            }
        })
        .collect();
    let labels: BTreeSet<&String> = runs.iter().flat_map(|run| run.vertices.keys()).collect();
    let mut vertices = Map::new();
    for label in labels {
        let (vertex, is_stable) = vertex(runs, label, timing);
        stable &= is_stable;
        vertices.insert(label.clone(), Value::Object(vertex));
    }
    let peaks = runs.iter().map(|run| run.peak);
    let mut observed =
        json!({ "runs": runs.len(), "phases": phases, "stable": stable, "vertices": vertices });
    if let Some(order) = before.get("order").and_then(Value::as_array) {
        let held = order.iter().filter(|pair| holds(runs, pair));
        observed["order"] = held.cloned().collect();
    }
    if before.get("peak_parallel_checkapply").is_some() {
        observed["peak_parallel_checkapply"] = json!([peaks.clone().min(), peaks.max()]);
    }
    observed
}

/// The distinct ones, and how often each came.
fn counted(ways: impl Iterator<Item = Value>) -> Vec<(Value, usize)> {
    let mut counted: Vec<(Value, usize)> = Vec::new();
    for way in ways {
        match counted.iter_mut().find(|(known, _)| *known == way) {
            Some((_, count)) => *count += 1,
            None => counted.push((way, 1)),
        }
    }
    counted
}

fn vertex(runs: &[Seen], label: &str, timing: bool) -> (Map<String, Value>, bool) {
    let nothing = SeenVertex::default();
    let all = runs
        .iter()
        .map(|run| run.vertices.get(label).unwrap_or(&nothing));
    let all: Vec<&SeenVertex> = all.collect();
    let mut stable = true;
    let mut vertex = Map::new();
    for (name, lane) in LANES {
        let ways = counted(all.iter().map(|one| fields(one.lane(lane))));
        match ways.as_slice() {
            [(only, _)] if *only == json!([]) => {}
            [(only, _)] => {
                let mut items = only.clone();
                if timing {
                    add_times(&mut items, &all, lane);
                }
                vertex.insert(name.to_owned(), items);
            }
            several => {
                stable = false;
                let ways = several.iter();
                let ways = ways.map(|(items, count)| json!({ "count": count, "items": items }));
                vertex.insert(format!("{name}_variants"), ways.collect());
            }
        }
    }
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &all {
        *ends.entry(&one.end).or_default() += 1;
    }
    match ends.keys().next() {
        Some(end) if ends.len() == 1 => vertex.insert("end".to_owned(), json!(end)),
        _ => vertex.insert("end_variants".to_owned(), json!(ends)),
    };
    let revalidations = all.iter().map(|one| one.revalidations);
    let (least, most) = (revalidations.clone().min(), revalidations.max());
    if most > Some(0) {
        vertex.insert("revalidations".to_owned(), json!([least, most]));
    }
    (vertex, stable)
}

fn fields(items: &[SeenItem]) -> Value {
    let items = items.iter().map(|item| Value::Object(item.fields.clone()));
    items.collect()
}

/// Adds the least and the greatest time of each item.
fn add_times(items: &mut Value, all: &[&SeenVertex], lane: Lane) {
    for (at, item) in items.as_array_mut().into_iter().flatten().enumerate() {
        let times = all.iter().filter_map(|one| one.lane(lane).get(at));
        let times = times.map(|item| item.t_ms);
        item["t_ms"] = json!([times.clone().min(), times.max()]);
    }
}

/// Did the first item of a pair end before the other one began, in each run?
fn holds(runs: &[Seen], pair: &Value) -> bool {
    runs.iter().all(|run| {
        let item = |at: usize| item(run, pair.get(at)?.as_str()?);
        match (item(0), item(1)) {
            (Some(one), Some(other)) => one.end < other.begin,
            _ => false,
        }
    })
}

/// The item that a name such as `b@1/r0` stands for.
fn item<'s>(run: &'s Seen, name: &str) -> Option<&'s SeenItem> {
    let (label, place) = name.rsplit_once('/')?;
    let (letter, number) = place.split_at_checked(1)?;
    let lane = match letter {
        "l" => Lane::Life,
        "w" => Lane::Watch,
        "v" => Lane::Recv,
        "r" => Lane::Run,
        _ => return None,
    };
    let lane = run.vertices.get(label)?.lane(lane);
    lane.get(number.parse::<usize>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::merged;
    use crate::table::cases;
    use mgmt_engine::compare::compare;
    use mgmt_engine::driver;
    use mgmt_engine::recorded::Case;
    use serde_json::Value;

    fn read(line: &Value) -> Case {
        serde_json::from_value(line.clone()).expect("a case")
    }

    #[test]
    fn a_recording_accepts_each_run_that_it_was_made_of() {
        let mut lines = cases(crate::SITUATIONS).expect("the cases");
        for line in &mut lines {
            let line = &mut line.members;
            let case = read(line);
            let seen = driver::run(&case.input);
            let mut other = seen.clone();
            other.phases[0].insert("outcome".to_owned(), "another one".into());
            for vertex in other.vertices.values_mut() {
                vertex.revalidations += 1;
                if let Some(lane) = vertex.lanes.values_mut().next() {
                    lane.pop();
                }
            }
            let runs = [seen, other];
            line["observed"] = merged(&runs, &line["observed"], case.input.timing);
            let recorded = read(line);
            assert!(!recorded.observed.stable, "{}", case.name);
            for run in &runs {
                let found: Vec<String> = compare(&recorded, run)
                    .iter()
                    .map(ToString::to_string)
                    .collect();
                assert!(found.is_empty(), "{}: {}", case.name, found.join("\n"));
            }
        }
    }
}
