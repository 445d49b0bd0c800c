//! What scripted subjects noted, as a transcript.

use crate::Stored;
use serde_json::{Value, json};
use stickler_transcript::{
    Bytes, Case, Driver, Event, Facts, Input, Item, Key, Phase, Provenance, Transcript, VERSION,
};

/// The calls that scripted subjects noted in a situation, each a message with an empty answer: what they answer stands in
/// the situation.
#[derive(Clone, Debug)]
pub struct Noted {
    /// The name of the situation.
    pub name: String,
    /// Its dialect.
    pub dialect: &'static str,
    /// What is needed to play it again.
    pub stored: Stored,
    /// What rules know beside the calls.
    pub facts: Facts,
    /// The phase of the messages.
    pub phase: Phase,
    /// The calls, in their order.
    pub calls: Vec<Value>,
    /// Did the run end?
    pub complete: bool,
}

impl Noted {
    /// As a transcript.
    pub fn transcript(self) -> Transcript {
        let mut case = Case {
            version: VERSION,
            id: self.name.clone(),
            dialect: self.dialect.to_owned(),
            driver: Driver::Recorded,
            facts: self.facts,
            // By this name, findings in this situation are known ones.
            items: vec![Item {
                example: self.name,
                original: true,
                ..Item::default()
            }],
            tier: "none".to_owned(),
            ..Case::default()
        };
        self.stored.note(&mut case);
        let mut events = Vec::new();
        if !self.calls.is_empty() {
            events.push(Event::Start { t: 0, process: 0 });
        }
        for (number, call) in (1..).zip(&self.calls) {
            events.extend(exchange(number, self.phase, call));
        }
        let t = events.last().map_or(0, Event::time) + 1;
        events.push(Event::End {
            t,
            complete: self.complete,
        });
        Transcript { case, events }
    }
}

fn exchange(number: usize, phase: Phase, call: &Value) -> [Event; 3] {
    let (t, process) = (2 * number as u64, 0);
    let method = phase.name();
    let sent = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": call });
    let answer = json!({ "jsonrpc": "2.0", "id": number, "result": {} });
    let line = |value: &Value| Bytes::from(&format!("{value}\n")[..]);
    [
        Event::Request(Input {
            t,
            process,
            exchange: number,
            phase,
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
