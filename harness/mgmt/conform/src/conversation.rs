//! What scripted resources noted, as a transcript.

use mgmt_engine::recorded::Input;
use mgmt_engine::{Lane, Seen, SeenItem};
use mgmt_protocol::engines::{FACT, Known};
use mgmt_protocol::phase;
use serde_json::Value;
use std::collections::BTreeSet;
use stickler_conform::{Noted, Stored};
use stickler_transcript::{Facts, Transcript};

/// A call that has not ended has this end or a later one.
const NEVER: u64 = 1 << 60;

/// The notes of a run in the order of their beginnings.
pub(crate) fn session(name: &str, stored: Stored, seen: &Seen) -> Transcript {
    let mut all: Vec<(&str, &SeenItem)> = Vec::new();
    for (vertex, lanes) in &seen.vertices {
        for lane in [Lane::Life, Lane::Watch, Lane::Run] {
            all.extend(lanes.lane(lane).iter().map(|item| (&vertex[..], item)));
        }
    }
    // What the engine printed is no call.
    all.retain(|(_, item)| item.fields.get("call").is_some_and(|call| call != "log"));
    all.sort_by_key(|(_, item)| item.begin);
    let known = known(&stored.situation["input"]).to_fact();
    let noted = Noted {
        name: name.to_owned(),
        dialect: "mgmt",
        stored,
        facts: Facts::from_iter([(FACT.to_owned(), known)]),
        phase: phase::NOTED,
        calls: all
            .into_iter()
            .map(|(vertex, item)| call(vertex, item))
            .collect(),
        complete: true,
    };
    noted.transcript()
}

fn call(vertex: &str, item: &SeenItem) -> Value {
    let mut params = item.fields.clone();
    params.insert("vertex".to_owned(), vertex.into());
    params.insert("begin".to_owned(), item.begin.into());
    if item.end < NEVER {
        params.insert("end".to_owned(), item.end.into());
    }
    params.into()
}

/// What the graphs say of resources.
fn known(input: &Value) -> Known {
    let Ok(input) = serde_json::from_value::<Input>(input.clone()) else {
        return Known::default();
    };
    let vertices = || input.graphs.values().flat_map(|graph| &graph.vertices);
    let names = |is: fn(&mgmt_engine::recorded::Vertex) -> bool| -> BTreeSet<String> {
        vertices()
            .filter(|one| is(one))
            .map(|one| one.name.clone())
            .collect()
    };
    let (noop, applies) = (names(|one| one.meta.noop), names(|one| !one.meta.noop));
    Known {
        noop: noop.difference(&applies).cloned().collect(),
        applies: applies.difference(&noop).cloned().collect(),
        polled: names(|one| one.meta.poll_s != 0),
        hidden: names(|one| one.meta.hidden),
    }
}

#[cfg(test)]
mod tests {
    use super::session;
    use crate::SITUATIONS;
    use crate::table::cases;
    use mgmt_engine::driver;
    use mgmt_protocol::Session;
    use mgmt_protocol::engines::ENGINE_RULES;
    use stickler_conform::Stored;
    use stickler_judge::{AnySession, judge};

    /// The reference engine does what the real one was seen to do.
    #[test]
    fn what_the_real_engine_does_breaks_no_rule() {
        let rules: Vec<_> = ENGINE_RULES.iter().collect();
        let mut passes = vec![0; rules.len()];
        // The engine takes its time.
        let all = cases(SITUATIONS).expect("the situations");
        for line in all.into_iter().step_by(3) {
            let name = line.members["name"].as_str().expect("a name");
            let input = serde_json::from_value(line.members["input"].clone());
            let seen = driver::run(&input.expect("an input"));
            let stored = Stored {
                agent: Vec::new(),
                situation: line.members.clone(),
                release: None,
            };
            let transcript = session(name, stored, &seen);
            let sessions = [AnySession::new(Session::new(transcript))];
            for (at, ledger) in judge(&rules, &sessions).iter().enumerate() {
                let found: Vec<&str> = ledger.findings.iter().map(|one| &*one.message).collect();
                assert!(found.is_empty(), "{name}: {} {found:?}", rules[at].code);
                passes[at] += ledger.passes.len();
            }
        }
        assert!(passes.iter().all(|count| *count > 50), "{passes:?}");
    }

    #[test]
    fn situations_keep_to_their_schema() {
        let schema = serde_json::from_str(crate::SCHEMA).expect("JSON");
        let schema = jsonschema::validator_for(&schema).expect("a schema");
        for line in cases(SITUATIONS).expect("the situations") {
            let errors: Vec<String> = schema
                .iter_errors(&line.members)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(errors.is_empty(), "{}: {errors:?}", line.members["name"]);
        }
        let wrong = serde_json::json!({ "name": "x", "input": { "graphs": {} } });
        assert!(!schema.is_valid(&wrong));
    }
}
