//! What scripted providers noted, as a transcript.

use crate::agent::Run;
use crate::situation::{Line, Situation};
use puppet_protocol::phase;
use puppet_protocol::runtimes::{FACT, Known, Noop};
use serde_json::{Value, json};
use stickler_conform::Stored;
use stickler_transcript::{
    Bytes, Case, Driver, Event, Input, Item, Key, Provenance, Transcript, VERSION,
};

/// The calls of a run, each with an empty answer: what a provider answers stands in the situation.
pub(crate) fn session(line: &Line, run: &Run, agent: Vec<String>) -> Transcript {
    let situation = &line.situation;
    let stored = Stored {
        agent,
        situation: line.bare(),
        release: None,
    };
    let mut case = Case {
        version: VERSION,
        id: situation.name.clone(),
        dialect: "resource-api".to_owned(),
        driver: Driver::Recorded,
        // By this name, findings in this situation are known ones.
        items: vec![Item {
            example: situation.name.clone(),
            original: true,
            ..Item::default()
        }],
        tier: "none".to_owned(),
        ..Case::default()
    };
    let known = Known {
        noop: noop(situation),
        types: run.types.clone(),
    };
    if let Ok(known) = serde_json::to_value(known) {
        case.facts.insert(FACT.to_owned(), known);
    }
    stored.note(&mut case);
    let mut events = Vec::new();
    if !run.seen.calls.is_empty() {
        events.push(Event::Start { t: 0, process: 0 });
    }
    for (number, call) in (1..).zip(&run.seen.calls) {
        events.extend(exchange(number, call));
    }
    let t = events.last().map_or(0, Event::time) + 1;
    events.push(Event::End {
        t,
        complete: run.seen.exit != "hang",
    });
    Transcript { case, events }
}

fn exchange(number: usize, call: &Value) -> [Event; 3] {
    let (t, process) = (2 * number as u64, 0);
    let method = phase::NOTED.to_string();
    let sent = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": call });
    let answer = json!({ "jsonrpc": "2.0", "id": number, "result": {} });
    let line = |value: &Value| Bytes::from(&format!("{value}\n")[..]);
    [
        Event::Request(Input {
            t,
            process,
            exchange: number,
            phase: phase::NOTED,
            key: Key::parse(&format!("{method}/{number}")),
            item: None,
            provenance: Provenance::Agent,
            owed: false,
        }),
        Event::In {
            t,
            process,
            data: line(&sent),
        },
        Event::Out {
            t: t + 1,
            process,
            data: line(&answer),
        },
    ]
}

/// Does the run change nothing? What resources say themselves is not known.
fn noop(situation: &Situation) -> Noop {
    let names_it = |text: &String| text.contains("noop");
    let asked = situation.options.iter().any(|option| option == "--noop");
    let may_differ = names_it(&situation.manifest)
        || situation.args.iter().any(names_it)
        || situation.files.values().any(names_it)
        || situation
            .options
            .iter()
            .any(|option| names_it(option) && option != "--noop");
    match (may_differ, asked) {
        (true, _) => Noop::Unknown,
        (false, true) => Noop::Yes,
        (false, false) => Noop::No,
    }
}

#[cfg(test)]
mod tests {
    use super::session;
    use crate::agent::Run;
    use crate::{SITUATIONS, lines};
    use puppet_protocol::Session;
    use puppet_protocol::runtimes::{RUNTIME_RULES, Type};
    use stickler_judge::{AnySession, judge};

    /// The features that rules ask for, as the definition's text names them.
    fn features(definition: &str) -> Type {
        let (_, listed) = definition.split_once("features:").unwrap_or_default();
        let all = ["canonicalize", "custom_insync", "supports_noop"];
        let named = all
            .into_iter()
            .filter(|name| listed.contains(&format!("'{name}'")));
        Type {
            features: named.map(str::to_owned).collect(),
            read_only: Vec::new(),
        }
    }

    #[test]
    fn what_measured_releases_do_breaks_no_rule() {
        let rules: Vec<_> = RUNTIME_RULES.iter().collect();
        let mut passes = vec![0; rules.len()];
        for line in lines("situations.jsonl", SITUATIONS).expect("the situations") {
            let types = line.situation.types.iter();
            let types = types.map(|(name, text)| (name.clone(), features(text)));
            let mut run = Run {
                types: types.collect(),
                ..Run::default()
            };
            for seen in &line.situation.want {
                run.seen = seen.clone();
                let transcript = session(&line, &run, Vec::new());
                let sessions = [AnySession::new(Session::new(transcript))];
                for (at, ledger) in judge(&rules, &sessions).iter().enumerate() {
                    let found: Vec<&str> =
                        ledger.findings.iter().map(|one| &*one.message).collect();
                    let (name, code) = (&line.situation.name, rules[at].code);
                    assert!(found.is_empty(), "{name} {}: {code} {found:?}", seen.since);
                    passes[at] += ledger.passes.len();
                }
            }
        }
        assert!(passes.iter().all(|count| *count > 10), "{passes:?}");
    }

    #[test]
    fn situations_keep_to_their_schema() {
        let schema = serde_json::from_str(crate::SCHEMA).expect("JSON");
        let schema = jsonschema::validator_for(&schema).expect("a schema");
        for line in SITUATIONS.lines() {
            let line = serde_json::from_str(line).expect("JSON");
            let errors: Vec<String> = schema
                .iter_errors(&line)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(errors.is_empty(), "{}: {errors:?}", line["name"]);
        }
        let wrong = serde_json::json!({ "name": "x", "about": "x", "scripts": {} });
        assert!(!schema.is_valid(&wrong));
    }
}
