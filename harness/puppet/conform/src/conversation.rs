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
