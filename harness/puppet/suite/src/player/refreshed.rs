//! After a `set` whose target `get` does not show, a fresh process is asked once more: each run of Puppet may be one.
//! What it shows tells a provider that remembers what it has read from one that has not reached the target.

use super::message::{said, with};
use crate::deferred::Evaluation;
use puppet_protocol::{Answer, is_shown, phase, purpose, request};
use puppet_types::{Definition, Value};
use std::collections::BTreeMap;
use stickler_session::{SessionError, Stage};
use stickler_transcript::{Answer as Wait, Event, Key, Phase, Piece, Send, Step};

/// Plans give processes lower numbers.
const FIRST: usize = 8;

/// A request that was sent before.
struct Sent {
    process: usize,
    phase: Phase,
    key: Key,
    message: Vec<u8>,
}

impl Sent {
    fn params(&self) -> Option<Value> {
        Value::parse(&self.message).ok()?.get("params").cloned()
    }
}

/// Asks a fresh process, if the answer to `planned` does not show what the `set` of the evaluation was to reach.
pub(super) fn ask(
    planned: &Send,
    evaluation: &Evaluation,
    definition: &Definition,
    params: &Value,
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    let Some(process) = wanting(planned, evaluation, definition, stage) else {
        return Ok(true);
    };
    let key = |what: &str| {
        let part = format!("{what}{}", evaluation.key);
        purpose::REFRESHED.part(&part).of(&evaluation.item)
    };
    let before = sent(stage.events());
    let before = before.iter().filter(|sent| sent.process == planned.process);
    let opening = before.filter(|sent| [phase::INITIALIZE, phase::LOAD].contains(&sent.phase));
    let opening: Vec<(Phase, Value)> = opening
        .filter_map(|sent| Some((sent.phase, sent.params()?)))
        .collect();
    stage.step(Step::Start {
        process,
        command: 0,
    })?;
    let message = |stage: &dyn Stage, phase: Phase, key: Key, params: Value| Send {
        process,
        // What comes before is about no item.
        item: planned.item.clone().filter(|_| phase == phase::GET),
        phase,
        key,
        pieces: vec![Piece {
            pause_us: 0,
            data: request::line(stage.number(), &phase.name(), params).into(),
        }],
        deadline_us: stage.deadline_us(phase),
        requires: None,
        answer: Wait::Now,
        kill_after_us: None,
        at_write: None,
        ..planned.clone()
    };
    let mut goes_on = true;
    for (at, (phase, params)) in opening.into_iter().enumerate() {
        let send = message(stage, phase, key(&format!("begin{at}-")), params);
        goes_on = goes_on && stage.step(Step::Send(send))?;
    }
    let opened = key("open-");
    let kind = Value::hash([("type", Value::string(&*evaluation.kind))]);
    let send = message(stage, phase::OPEN, opened.clone(), kind);
    goes_on = goes_on && stage.step(Step::Send(send))?;
    let own = params.as_hash().unwrap_or_default().iter();
    let own = own.filter(|(key, _)| key.as_symbol() != Some("provider"));
    let params = with(
        stage,
        "provider",
        &opened,
        Value::Hash(own.cloned().collect()),
    );
    if let (true, Some(params)) = (goes_on, params) {
        let send = message(stage, phase::GET, key(""), params);
        stage.step(Step::Send(send))?;
    }
    stage.step(Step::CloseInput { process })?;
    stage.step(Step::AwaitExit {
        process,
        deadline_us: stage.deadline_us(phase::GET),
    })?;
    Ok(true)
}

/// The number of the process to ask, if one is to be asked.
fn wanting(
    planned: &Send,
    evaluation: &Evaluation,
    definition: &Definition,
    stage: &dyn Stage,
) -> Option<usize> {
    let set = evaluation.key.clone().of(&evaluation.item);
    let is_done = Answer::read(stage.answer(&set)?).failure().is_none();
    let rows = said(stage, &planned.key)?;
    if !is_done || evaluation.on_device || evaluation.noop {
        return None;
    }
    let sent = sent(stage.events());
    let own = sent.iter().rev().find(|sent| sent.key == set)?;
    let changes = own.params()?.get("changes")?.as_array()?.to_vec();
    let [change] = &changes[..] else {
        return None;
    };
    let change = change.as_array()?.get(1)?;
    if is_shown(definition, change, rows.as_array()?) {
        return None;
    }
    let started = stage.events().iter().filter_map(|event| match event {
        Event::Start { process, .. } => Some(*process + 1),
        _ => None,
    });
    Some(started.max()?.max(FIRST))
}

/// The requests so far.
fn sent(events: &[Event]) -> Vec<Sent> {
    let mut all: Vec<Sent> = Vec::new();
    // The last request to each process.
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    for event in events {
        match event {
            Event::Request(input) => {
                last.insert(input.process, all.len());
                all.push(Sent {
                    process: input.process,
                    phase: input.phase,
                    key: input.key.clone(),
                    message: Vec::new(),
                });
            }
            Event::In { process, data, .. } => {
                if let Some(own) = last.get(process).and_then(|at| all.get_mut(*at)) {
                    own.message.extend_from_slice(data);
                }
            }
            _ => {}
        }
    }
    all
}
