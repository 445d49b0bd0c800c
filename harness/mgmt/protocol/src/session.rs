//! A transcript as rules see it: calls with their parameters and answers, and what resources told meanwhile.

use crate::described::Described;
use crate::message::{Answer, text};
use crate::phase;
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::ops::Deref;
use stickler_json::Json;
use stickler_reading::{Exchange, Reading};
use stickler_rpc::{FRAMING, Notification};
use stickler_transcript::{Drift, Event, Phase, Purpose, Transcript};

pub use stickler_reading::Process;

/// A request to the host and its answer.
#[derive(Clone, Debug)]
pub struct Call {
    heard: Exchange,
    /// The parameters. `None` if the message is no request.
    pub params: Option<Json>,
    /// The answer, if there is one.
    pub answer: Option<Answer>,
    /// What resources told before it was answered.
    pub told: Vec<Notification>,
}

impl Deref for Call {
    type Target = Exchange;
    fn deref(&self) -> &Exchange {
        &self.heard
    }
}

impl Borrow<Exchange> for Call {
    fn borrow(&self) -> &Exchange {
        &self.heard
    }
}

impl Call {
    /// A parameter that is text.
    pub fn param(&self, key: &str) -> Option<&str> {
        match self.params.as_ref()?.get(key)? {
            Json::String(text) => text.as_str(),
            _ => None,
        }
    }

    /// A parameter that is true.
    pub fn has(&self, key: &str) -> bool {
        let params = self.params.as_ref();
        params.and_then(|params| params.get(key)) == Some(&Json::Bool(true))
    }

    /// The label of the resource that it is about.
    pub fn resource(&self) -> &str {
        self.param("resource").unwrap_or_default()
    }

    /// The Go error with which the method returned; `None` if it returned none.
    pub fn error(&self) -> Option<String> {
        self.answer.as_ref()?.text("error")
    }

    /// Did the method return, without an error?
    pub fn succeeds(&self) -> bool {
        matches!(&self.answer, Some(Answer::Result(_))) && self.error().is_none()
    }

    /// Did the method return, with an error or without?
    pub fn returns(&self) -> bool {
        matches!(&self.answer, Some(Answer::Result(_)))
    }

    /// How the resource panicked, in words.
    pub fn panic(&self) -> Option<String> {
        Some(self.answer.as_ref()?.failure()?.in_words())
    }

    /// Why the method did not succeed: its error, or how it panicked.
    pub fn why_it_fails(&self) -> Option<String> {
        self.error().or_else(|| self.panic())
    }

    /// How it panicked since the resource lacks this trait: the engine's functions do so.
    pub fn lacks_trait(&self, name: &str) -> Option<String> {
        let text = format!("does not support the {name} trait");
        self.panic().filter(|panic| panic.contains(&text))
    }

    /// What the resource used that only mgmt itself can give, if that made it panic.
    pub fn needs(&self) -> Option<String> {
        let failure = self.answer.as_ref().and_then(Answer::failure);
        let told = || self.told.iter().find_map(|told| told.text("needs"));
        failure.and_then(|panic| panic.needs.clone()).or_else(told)
    }

    /// A number that the method returned.
    pub fn number(&self, key: &str) -> Option<u64> {
        match self.answer.as_ref()?.member(key)? {
            Json::Number(number) => number.parse().ok(),
            _ => None,
        }
    }

    /// What `CheckApply` returned: is the state right?
    pub fn ok(&self) -> Option<bool> {
        match self.answer.as_ref()?.member("ok")? {
            Json::Bool(ok) => Some(*ok),
            _ => None,
        }
    }
}

/// A session of a host, ready to be judged.
#[derive(Clone, Debug)]
pub struct Session {
    reading: Reading<Call, Process>,
    /// The kinds that the host has described.
    pub kinds: BTreeMap<String, Described>,
}

impl Deref for Session {
    type Target = Reading<Call, Process>;
    fn deref(&self) -> &Self::Target {
        &self.reading
    }
}

impl Session {
    /// Reads a transcript.
    pub fn new(transcript: Transcript) -> Session {
        let reading = Reading::of(transcript, FRAMING);
        let mut told = reading.notified(Notification::read);
        let reading = reading.map(
            |_, process, _| process,
            |heard, _| Call {
                params: params(&heard.sent),
                answer: heard.message.map(|end| Answer::read(&heard.output[..end])),
                told: told.remove(&heard.number).unwrap_or_default(),
                heard,
            },
        );
        let described = reading
            .exchanges
            .iter()
            .filter(|one| one.phase == phase::DESCRIBE);
        let kinds = described.filter_map(|call: &Call| match &call.answer {
            Some(Answer::Result(result)) => {
                let read = Described::read(result);
                Some((read.kind.clone(), read))
            }
            _ => None,
        });
        let kinds = kinds.collect();
        Session { reading, kinds }
    }

    /// The calls of a method.
    pub fn calls(&self, phase: Phase) -> impl Iterator<Item = &Call> {
        self.exchanges
            .iter()
            .filter(move |call| call.phase == phase)
    }

    /// The calls of `CheckApply` for this purpose in this turn.
    pub fn checked(&self, purpose: Purpose, turn: usize) -> impl Iterator<Item = &Call> {
        let calls = self.calls(phase::CHECKAPPLY);
        calls.filter(move |call| call.key.turn_of(purpose) == Some(turn))
    }

    /// What is known of the kind of the resource that a call is about. Sessions may not describe it.
    pub fn kind_of(&self, call: &Call) -> Option<&Described> {
        let own = |one: &&Call| one.process == call.process && one.resource() == call.resource();
        let made = self.calls(phase::NEW).find(own)?;
        self.kinds.get(made.param("kind")?)
    }

    /// Does `VarDir` return errors in the process of a call?
    pub fn has_no_folder(&self, call: &Call) -> bool {
        let mut begun = self.calls(phase::INITIALIZE);
        let begun = begun.find(|begun| begun.process == call.process);
        begun.is_some_and(|begun| begun.param("var") == Some(crate::request::NOWHERE))
    }

    /// Does `Watch` end when a channel of `Init` is closed, and not with a context?
    pub fn has_done(&self) -> bool {
        self.calls(phase::INITIALIZE).any(|call| {
            let era = call.answer.as_ref().and_then(|answer| answer.text("era"));
            era.as_deref() == Some("done")
        })
    }

    /// What the harness changed last before a call.
    pub fn drift_before(&self, call: &Call) -> Option<&Drift> {
        let mut last = None;
        for event in &self.transcript.events {
            match event {
                Event::Drifted { drift, .. } => last = Some(&**drift),
                Event::Request(input) if input.exchange == call.number => break,
                _ => {}
            }
        }
        last
    }

    /// Why the last change from outside before a call was none, if it was none: its command failed.
    pub fn drift_failed(&self, call: &Call) -> Option<String> {
        let mut last = None;
        for event in &self.transcript.events {
            match event {
                Event::Drifted { drift, failed, .. } => last = Some((drift, failed)),
                Event::Request(input) if input.exchange == call.number => break,
                _ => {}
            }
        }
        match last {
            Some((drift, Some(why))) if matches!(**drift, Drift::Command { .. }) => {
                Some(format!("a command of `drift` failed: {why}"))
            }
            _ => None,
        }
    }

    /// The kinds that the host says are registered.
    pub fn registered(&self) -> Vec<String> {
        let answers = self
            .calls(phase::INITIALIZE)
            .filter_map(|call| call.answer.as_ref());
        let mut listed = answers.map(kinds);
        listed.find(|kinds| !kinds.is_empty()).unwrap_or_default()
    }
}

/// The kinds that the answer to `initialize` lists.
pub fn kinds(answer: &Answer) -> Vec<String> {
    match answer.member("kinds") {
        Some(Json::Array(kinds)) => kinds.iter().filter_map(text).collect(),
        _ => Vec::new(),
    }
}

fn params(sent: &[u8]) -> Option<Json> {
    let request = stickler_json::parse(sent).ok()?;
    request.get("params").cloned()
}
