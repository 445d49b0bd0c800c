//! A transcript as rules see it: calls with their parameters and answers, definitions, and what the
//! provider logged.

use crate::absent::is_absent;
use crate::aliases::aliases;
use crate::message::{Answer, Failure, HostEvent, is_failed};
use crate::phase;
use crate::reads::SPOILT;
use puppet_types::{Aliases, Definition, Value};
use std::borrow::Borrow;
use std::ops::Deref;
use stickler_json::Json;
use stickler_reading::{Exchange, Reading};
use stickler_rpc::FRAMING;
use stickler_transcript::{
    Bytes, Fate, ItemOutcome, Key, Name, Phase, Provenance, Purpose, Relation, Role, Transcript,
};

pub use stickler_reading::Process;

/// A request to the host and its answer.
#[derive(Clone, Debug)]
pub struct Call {
    heard: Exchange,
    /// The parameters. `None` if the message is no request.
    pub params: Option<Json>,
    /// The answer, if there is one.
    pub answer: Option<Answer>,
    /// What the provider did with its context before it answered.
    pub events: Vec<HostEvent>,
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
    /// A parameter, read as a value of Ruby.
    pub fn param(&self, key: &str) -> Option<Value> {
        Value::from_json(self.params.as_ref()?.get(key)?.clone(), 0).ok()
    }

    /// Did it raise, or mark a resource as failed?
    pub fn fails(&self) -> bool {
        let raised = self.answer.as_ref().and_then(Answer::failure);
        raised.is_some() || self.marks_failure()
    }

    /// Did a block of a log fail, so that the resource counts as failed?
    pub(crate) fn marks_failure(&self) -> bool {
        self.answer.as_ref().is_some_and(is_failed)
            || self.events.iter().any(|event| event.kind == "failed")
    }

    /// What it raised, or what was raised in a block of a log that failed.
    pub(crate) fn failure(&self) -> Option<&Failure> {
        let raised = self.answer.as_ref().and_then(Answer::failure);
        raised.or_else(|| self.events.iter().find_map(|event| event.error.as_ref()))
    }

    /// Why it fails, as a clause with the place in the module.
    pub(crate) fn why_it_fails(&self) -> Option<String> {
        let raised = self.answer.as_ref().and_then(Answer::failure);
        let told = |failure: &Failure| format!("{}{}", failure.in_words(), failure.place());
        match (raised, self.failure()) {
            (Some(failure), _) => Some(format!("it raised {}", told(failure))),
            (None, _) if !self.marks_failure() => None,
            (None, Some(failure)) => Some(format!("a block raised {}", told(failure))),
            (None, None) => Some("it marked the resource as failed".to_owned()),
        }
    }

    /// Does it set a resource that was not there?
    pub fn makes(&self) -> bool {
        let changes = self.param("changes");
        let pairs = changes.as_ref().and_then(Value::as_array);
        let is_new = |pair: &Value| {
            let change = pair.as_array().and_then(|pair| pair.get(1));
            change
                .and_then(|change| change.get("is"))
                .is_some_and(is_absent)
        };
        pairs.is_some_and(|pairs| pairs.iter().any(is_new))
    }

    /// What the method returned.
    pub fn value(&self) -> Option<Value> {
        self.answer.as_ref()?.value("value")
    }
}

/// A definition that a host has loaded.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The number of the exchange that loaded it.
    pub exchange: usize,
    /// The file that registered it, if the host says so.
    pub file: Option<String>,
    /// The definition as the author wrote it.
    pub value: Value,
    /// The same, read.
    pub definition: Definition,
}

/// A session of a host, ready to be judged.
#[derive(Clone, Debug)]
pub struct Session {
    reading: Reading<Call, Process>,
    /// The types that the host has loaded.
    pub types: Vec<Loaded>,
    /// The schemas of transports that it has loaded.
    pub transports: Vec<Loaded>,
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
        let mut events = reading.notified(HostEvent::read);
        let reading = reading.map(
            |_, process, _| process,
            |heard, _| Call {
                params: params(&heard.sent),
                answer: heard.message.map(|end| Answer::read(&heard.output[..end])),
                events: events.remove(&heard.number).unwrap_or_default(),
                heard,
            },
        );
        let loads = reading
            .exchanges
            .iter()
            .filter(|one| one.phase == phase::LOAD);
        let (mut types, mut transports) = (Vec::new(), Vec::new());
        for load in loads {
            types.extend(loaded(load, "types", Definition::of_type_with));
            let read = Definition::of_transport_with;
            transports.extend(loaded(load, "transports", read));
        }
        Session {
            reading,
            types,
            transports,
        }
    }

    /// Did the harness change the files of a provider, or who may write them? Then what is in them says nothing
    /// about the provider.
    pub(crate) fn is_spoilt(&self) -> bool {
        let mut groups = self.case().groups.iter();
        groups.any(|member| SPOILT.contains(&member.relation))
    }

    /// Does the harness keep the provider from its work, or has it done so?
    pub(crate) fn is_disturbed(&self) -> bool {
        let mut groups = self.case().groups.iter();
        self.refuses_writes()
            || self.is_spoilt()
            || groups.any(|member| {
                member.relation == Relation::KILL
                    || member.relation == Relation::WRITE && member.role != Role::Baseline
            })
    }

    /// Does it mix examples, as campaigns do?
    pub(crate) fn is_mixed(&self) -> bool {
        let mut groups = self.case().groups.iter();
        groups.any(|member| member.relation == Relation::FUZZ)
    }

    /// Each call and the next one, leaving out what only builds instances, and what Puppet asks each of them first.
    pub(crate) fn successive(&self) -> impl Iterator<Item = (&Call, &Call)> {
        let asked = self
            .exchanges
            .iter()
            .filter(|call| ![phase::OPEN, phase::CANONICALIZE].contains(&call.phase));
        asked.clone().zip(asked.skip(1))
    }

    /// Are two calls made to providers of the same type and target, if not to one instance?
    pub(crate) fn is_same_provider(&self, one: &Call, other: &Call) -> bool {
        let site = |call| self.opening(call)?.0.key.label();
        one.process == other.process
            && (one.param("provider") == other.param("provider")
                || site(one).is_some_and(|own| site(other) == Some(own)))
    }

    /// The answered calls of a method.
    pub fn calls(&self, phase: Phase) -> impl Iterator<Item = (&Call, &Answer)> {
        self.asked(phase)
            .filter_map(|call| Some((call, call.answer.as_ref()?)))
    }

    /// The calls of a method, answered or not: what was killed may have done its work.
    pub(crate) fn asked(&self, phase: Phase) -> impl Iterator<Item = &Call> {
        self.exchanges
            .iter()
            .filter(move |call| call.phase == phase)
    }

    /// Was `set` called between two calls?
    pub(crate) fn is_set_between(&self, earlier: &Call, later: &Call) -> bool {
        let between = earlier.number..later.number;
        self.asked(phase::SET)
            .any(|set| between.contains(&set.number))
    }

    /// All definitions that the host has loaded, and who could load them.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = (&Loaded, Provenance)> {
        let all = self.types.iter().chain(&self.transports);
        all.map(|loaded| {
            let mut calls = self.exchanges.iter();
            let call = calls.find(|call| call.number == loaded.exchange);
            (
                loaded,
                call.map_or(Provenance::Agent, |call| call.provenance),
            )
        })
    }

    /// What became of the evaluation whose call of `set` has this key, if the runtime got so far.
    pub(crate) fn conclusion(&self, key: &Key) -> Option<&ItemOutcome> {
        self.conclusions()
            .find(|outcome| outcome.place == key.as_str())
    }

    fn conclusions(&self) -> impl Iterator<Item = &ItemOutcome> {
        let events = self.transcript.events.iter();
        events.filter_map(|event| match event {
            stickler_transcript::Event::Outcome(outcome) => Some(&**outcome),
            _ => None,
        })
    }

    /// The labels of the items that the runtime itself refused, and why.
    pub fn refusals(&self) -> impl Iterator<Item = (Name, String)> {
        let refused = self
            .conclusions()
            .filter(|outcome| outcome.outcome == Fate::Refused);
        refused.filter_map(|outcome| {
            let key = Key::parse(&outcome.place);
            let label = key.label().filter(|_| key.is(Purpose::EVALUATE))?;
            Some((label.into(), why(outcome)))
        })
    }

    /// The definition of the type whose provider was called.
    pub fn definition(&self, call: &Call) -> Option<&Definition> {
        let (open, _) = self.opening(call)?;
        self.definition_of(open)
    }

    /// The call that built the provider of another call.
    pub(crate) fn opening(&self, call: &Call) -> Option<(&Call, &Answer)> {
        let number = call.param("provider")?;
        self.calls(phase::OPEN).find(|(open, answer)| {
            open.process == call.process && answer.value("provider").as_ref() == Some(&number)
        })
    }

    /// The definition of the type that a call names.
    pub(crate) fn definition_of(&self, open: &Call) -> Option<&Definition> {
        let name = open.param("type")?;
        let mut types = self.types.iter().map(|loaded| &loaded.definition);
        types.find(|one| one.name.as_deref() == name.as_str())
    }
}

/// The errors with which an evaluation ended.
pub(crate) fn why(outcome: &ItemOutcome) -> String {
    let errors: Vec<_> = outcome.errors.iter().map(Bytes::lossy).collect();
    errors.join("; ")
}

fn params(sent: &[u8]) -> Option<Json> {
    let request = stickler_json::parse(sent).ok()?;
    request.get("params").cloned()
}

fn loaded(load: &Call, key: &str, read: fn(&Value, &Aliases) -> Definition) -> Vec<Loaded> {
    let Some(Answer::Result(result)) = &load.answer else {
        return Vec::new();
    };
    let Some(Json::Array(list)) = result.get(key) else {
        return Vec::new();
    };
    // A module is judged without those that it depends on.
    let aliases = aliases(result).open();
    let each = list.iter().filter_map(|one| {
        let value = Value::from_json(one.get("definition")?.clone(), 0).ok()?;
        let file = match one.get("file") {
            Some(Json::String(file)) => file.as_str().map(str::to_owned),
            _ => None,
        };
        Some(Loaded {
            exchange: load.number,
            file,
            definition: read(&value, &aliases),
            value,
        })
    });
    each.collect()
}
