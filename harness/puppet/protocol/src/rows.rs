//! What `get` returned, row by row.

use crate::message::Answer;
use crate::phase;
use crate::purpose;
use crate::session::{Call, Session};
use puppet_types::{Behaviour, Definition, Value};
use stickler_judge::Claim;
use stickler_transcript::{Fate, Key, Purpose, Variation};

/// A call of `get` that returned, with the definition of its type.
pub(crate) struct Read<'s> {
    pub call: &'s Call,
    pub definition: &'s Definition,
    /// What it returned, as the host read it.
    pub value: Value,
}

impl Read<'_> {
    /// The rows, if there are any.
    pub fn rows(&self) -> &[Value] {
        self.value.as_array().unwrap_or_default()
    }
}

/// The calls of `get` that returned. What comes of difficult texts is for RA802 and RA803 alone, so those after
/// such a text was set are left out. So are those of files that the harness has changed.
pub(crate) fn reads(session: &Session) -> impl Iterator<Item = Read<'_>> {
    let mut sets = session.asked(phase::SET);
    let first = sets.find(|set| is_difficult(session, set));
    let first = first.map(|set| set.number);
    let is_spoilt = session.is_spoilt();
    let before = move |call: &Call| !is_spoilt && first.is_none_or(|first| call.number < first);
    let calls = session.calls(phase::GET);
    let calls = calls.filter(move |(call, _)| before(call));
    calls.filter_map(|(call, answer)| {
        Some(Read {
            call,
            definition: session.definition(call)?,
            value: answer.value("value")?,
        })
    })
}

/// Is a call about a resource with a bait, or with another text that is hard to keep?
pub(crate) fn is_difficult(session: &Session, call: &Call) -> bool {
    let variation = session.item(call).and_then(|item| item.variation);
    matches!(variation, Some(Variation::Text | Variation::Canary))
}

/// The rows without what may change by itself, in any order.
pub(crate) fn lasting(read: &Read<'_>) -> Vec<String> {
    let stays = |(key, _): &&(Value, Value)| {
        let attribute = key
            .as_symbol()
            .and_then(|name| read.definition.attribute(name));
        attribute.is_none_or(|attribute| attribute.behaviour != Behaviour::ReadOnly)
    };
    let rows = read.rows().iter().filter_map(Value::as_hash);
    let mut rows: Vec<String> = rows
        .map(|row| Value::Hash(row.iter().filter(stays).cloned().collect()).inspect())
        .collect();
    rows.sort();
    rows
}

/// A row, or another resource, in words: its namevars.
pub(crate) fn named(definition: &Definition, row: &Value) -> String {
    let names = definition.namevars();
    let names = names.iter().filter_map(|name| row.get(name));
    let names: Vec<String> = names.map(Value::inspect).collect();
    match names.is_empty() {
        true => "a row".to_owned(),
        false => names.join(", "),
    }
}

/// The word of descriptions for each fate.
pub const WORDS: &[(&str, Fate)] = &[
    ("changed", Fate::Changed),
    ("ok", Fate::Unchanged),
    ("error", Fate::Failed),
];

/// The word for a fate.
pub(crate) fn word(fate: Fate) -> &'static str {
    let mut words = WORDS.iter();
    words
        .find(|(_, known)| *known == fate)
        .map_or("skipped", |(word, _)| word)
}

/// The evaluations of a session: the key, the call that decides, and the outcome. One whose calls
/// were not all made is left out.
pub(crate) fn evaluations(session: &Session) -> Vec<(Key, &Call, Fate)> {
    let mut found: Vec<(Key, &Call, Fate)> = Vec::new();
    let mut cut_off = Vec::new();
    for call in &session.exchanges {
        let (key, part) = call.key.parted();
        if key.turn_of(Purpose::EVALUATE).is_none() || key.label().is_none() {
            continue;
        }
        // What the host itself refuses is no fault of the provider.
        let Some(Answer::Result(_) | Answer::Failed(_)) = &call.answer else {
            if call.answer.is_none() {
                cut_off.push(key);
            }
            continue;
        };
        let failed = call.fails();
        let known = found.iter().position(|(known, ..)| *known == key);
        match (known, part) {
            (None, _) => {
                let fate = if failed {
                    Fate::Failed
                } else {
                    Fate::Unchanged
                };
                found.push((key, call, fate));
            }
            (Some(at), None) => {
                found[at] = (key, call, if failed { Fate::Failed } else { Fate::Changed });
            }
            (Some(at), Some(part)) if failed && part != purpose::AFTERWARDS => {
                found[at] = (key, call, Fate::Failed);
            }
            _ => {}
        }
    }
    found.retain(|(key, ..)| !cut_off.contains(key));
    for (key, _, outcome) in &mut found {
        let fate = session.conclusion(key);
        match fate.map(|fate| fate.outcome) {
            Some(Fate::Failed | Fate::Refused) => *outcome = Fate::Failed,
            // A provider may mark a failure that the library does not notice.
            Some(Fate::Changed) if *outcome == Fate::Unchanged => *outcome = Fate::Changed,
            _ => {}
        }
    }
    // Without a state that could be read, nothing is known.
    found.retain(|(_, call, outcome)| *outcome != Fate::Unchanged || call.phase != phase::OPEN);
    found
}

/// The claims of a session: what its evaluations come to.
pub(crate) fn claims(session: &Session) -> Vec<Claim> {
    let claim = |(key, call, fate): (Key, &Call, Fate)| {
        let asked = session.conclusion(&key);
        // Puppet refuses some resources whatever the provider says.
        let is_refused = asked.is_some_and(|outcome| outcome.outcome == Fate::Refused);
        Some(Claim {
            exchange: call.number,
            key,
            item: call.item.clone()?,
            fate: if is_refused { Fate::Refused } else { fate },
        })
    };
    evaluations(session).into_iter().filter_map(claim).collect()
}
