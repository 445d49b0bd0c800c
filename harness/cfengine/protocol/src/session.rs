//! A transcript as rules see it: exchanges, with what was asked and answered.

mod reader;

use crate::facts::Facts;
use crate::gathered::Gathered;
use crate::memo::Memo;
use crate::output::shifts;
use crate::phase;
use crate::wire::header::{Header, Protocol};
use crate::wire::request::Request;
use crate::wire::response::Response;
use std::collections::BTreeMap;
use std::sync::Arc;
use stickler_judge::Provenance;
use stickler_transcript::{
    Bytes, Call, Case, Change, ChangeKind, Entry, Event, ExitCause, Item, Name, Phase, Silence,
    Transcript,
};

/// The calls that change files, by a process or what it started, while a message was answered.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    /// How many there were.
    pub count: u32,
    /// The one that was made to fail, from 1.
    pub failed: Option<u32>,
    /// What is known of that one, or of the one that the process was killed before.
    pub call: Option<Call>,
    /// Paths that stand-ins for commands changed, and nobody else.
    pub foreign: Vec<Bytes>,
    /// Paths that the process itself changed, with no other program.
    pub own: Vec<Bytes>,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A whole message came.
    Answered,
    /// The process ended without answering.
    Exited(ExitCause),
    /// The process closed its standard output without answering, and lives on.
    ClosedOutput,
    /// Nothing came in time, or too much.
    Silent(Silence),
    /// The harness killed the process on purpose.
    Killed,
    /// No answer was owed, and none came.
    NoAnswer,
}

/// A request and what came back.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Number in the session, from 1.
    pub number: usize,
    /// Which process.
    pub process: usize,
    /// Kind of the message.
    pub phase: Phase,
    /// Names the exchange within a group.
    pub key: Name,
    /// Label of the promise.
    pub promise: Option<Name>,
    /// Where the case has it, among its promises.
    pub(crate) promise_at: Option<usize>,
    /// Who could send the request.
    pub provenance: Provenance,
    /// Must it be answered?
    pub owed: bool,
    /// The request's bytes that the subject's pipe took.
    pub sent: Gathered,
    /// The request, as far as it can be read. `None` for headers and broken messages.
    pub request: Option<Arc<Request>>,
    /// All of standard output from this request up to the next one. For the
    /// header, what was printed before it too.
    pub output: Gathered,
    /// Length of the first message in `output`, its empty line included, if it is whole.
    pub message: Option<usize>,
    /// The first message, analysed (for the header see [`Exchange::header`]).
    pub response: Option<Arc<Response>>,
    /// Times and lengths of the pieces of `output`.
    pub pieces: Vec<(u64, usize)>,
    /// When the request was written, microseconds since the session began.
    pub sent_at: u64,
    /// When the message was whole.
    pub answered_at: Option<u64>,
    /// How it ended.
    pub ended: Ended,
    /// The message came only after standard input had been closed.
    pub late: bool,
    /// Standard error from this request up to the next one.
    pub errors: Gathered,
    /// Effects, where observations stand right before and after this exchange.
    pub effects: Option<Vec<Change>>,
    /// The calls that change files, where they were counted.
    pub writes: Option<Box<Writes>>,
    /// The process sent a message too many, so that answers may belong to other
    /// requests: `response` and `effects` are left out, and keys don't find it.
    pub shifted: bool,
}

impl Exchange {
    /// The answer to the agent's header. `None` for other messages or where no
    /// line came.
    pub fn header(&self) -> Option<Header<'_>> {
        (self.phase == phase::HEADER)
            .then(|| Header::analyse(&self.output))
            .flatten()
    }

    /// The answer's result, where it is text.
    pub fn result(&self) -> Option<&[u8]> {
        self.response.as_ref()?.result.text()
    }

    /// Did the subject neither answer nor end?
    pub fn is_quiet(&self) -> bool {
        matches!(
            self.ended,
            Ended::Silent(Silence::Deadline | Silence::Input)
        )
    }

    /// Does the answer have this result?
    pub fn is(&self, result: &str) -> bool {
        self.result() == Some(result.as_bytes())
    }

    /// What followed the answer without being asked for.
    pub fn extra(&self) -> &[u8] {
        self.message.map_or(&[], |end| &self.output[end..])
    }

    /// The call that changes files that was made to fail, from 1.
    pub fn failed_write(&self) -> Option<u32> {
        self.writes.as_ref()?.failed
    }

    /// What is known of that call, or of the one that the process was killed before.
    pub fn stopped_at(&self) -> Option<&Call> {
        self.writes.as_ref()?.call.as_ref()
    }

    /// How long the answer took, microseconds.
    pub fn took(&self) -> Option<u64> {
        Some(self.answered_at?.saturating_sub(self.sent_at))
    }

    /// Is this a request of one of the three operations (not a header, not broken)?
    pub fn is_request(&self) -> bool {
        matches!(
            self.phase,
            phase::VALIDATE | phase::EVALUATE | phase::TERMINATE
        ) && self.owed
    }

    /// Does the request ask for warnings instead of changes?
    pub fn warns(&self) -> bool {
        self.policy() == Some(b"warn")
    }

    /// The request's `action_policy`.
    pub fn policy(&self) -> Option<&[u8]> {
        self.request.as_ref()?.action_policy()
    }

    /// The log messages of the answer: level and text.
    pub fn logs(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.response
            .iter()
            .flat_map(|response| &response.logs)
            .map(|log| (log.level.as_slice(), log.message.as_slice()))
    }

    /// Is there a log message of one of these levels?
    pub fn has_log(&self, levels: &[&str]) -> bool {
        self.logs()
            .any(|(level, _)| levels.iter().any(|wanted| wanted.as_bytes() == level))
    }

    /// Names of result classes, where they are well-formed.
    pub fn classes(&self) -> Vec<Vec<u8>> {
        self.response
            .as_ref()
            .and_then(|response| response.result_classes.as_ref())
            .map(|classes| classes.names.clone())
            .unwrap_or_default()
    }
}

/// One process of the subject.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// How and when it ended.
    pub exit: Option<(u64, ExitCause)>,
    /// The harness killed it.
    pub killed: bool,
    /// When standard input was closed by the harness.
    pub input_closed_at: Option<u64>,
    /// The subject closed its standard input.
    pub closed_input: bool,
    /// The subject closed its standard output before its end.
    pub closed_output_at: Option<u64>,
    /// The deadline for its end passed.
    pub outlived: bool,
    /// The protocol that its header asked for.
    pub protocol: Option<Protocol>,
    /// Its header advertises `action_policy`.
    pub action_policy: bool,
    /// When it was started.
    pub started_at: u64,
    /// The number of the exchange from which on a message too many may have come, so that an
    /// answer may be an earlier request's.
    pub out_of_step: Option<usize>,
}

/// A point at which effects were read.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The plan's name for it.
    pub point: String,
    /// Numbers of the exchanges since the observation before.
    pub exchanges: Vec<usize>,
    /// What changed since the observation before; what never counts is left out.
    pub changes: Vec<Change>,
}

/// Processes that outlived the subject.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// Their command lines.
    pub processes: Vec<String>,
    /// One still holds the protocol's standard output.
    pub holds_stdout: bool,
    /// One still holds the protocol's standard input.
    pub holds_stdin: bool,
}

/// A session of a promise module, ready to be judged.
#[derive(Clone, Debug)]
pub struct Session {
    /// The record.
    pub transcript: Transcript,
    /// What was asked and answered, in order.
    pub exchanges: Vec<Exchange>,
    /// The processes, by number.
    pub processes: Vec<Process>,
    /// Where effects were read.
    pub observations: Vec<Observation>,
    /// What outlived the subject.
    pub left: Left,
    /// All steps of the plan were taken.
    pub complete: bool,
    /// What is known of the module and the case.
    pub facts: Facts,
    by_key: BTreeMap<Name, usize>,
}

impl Session {
    /// Reads a transcript.
    pub fn new(transcript: Transcript) -> Session {
        Session::with(transcript, &Memo::default())
    }

    /// Reads a transcript, one of many.
    pub fn with(transcript: Transcript, memo: &Memo) -> Session {
        let transcript = crate::requests::found(transcript);
        let mut reader = reader::Reader::default();
        for event in &transcript.events {
            reader.event(event, &transcript.case);
        }
        reader.finish(transcript, memo)
    }

    /// The case.
    pub fn case(&self) -> &Case {
        &self.transcript.case
    }

    /// Was the subject kept from writing: its target closed, or a call made to fail?
    pub fn refuses_writes(&self) -> bool {
        let failed = |exchange: &Exchange| exchange.failed_write().is_some();
        self.case().protection.is_some() || self.exchanges.iter().any(failed)
    }

    /// Was this changed by stand-ins for commands alone, as far as is known?
    pub fn is_foreign(&self, path: &[u8]) -> bool {
        let known = self.exchanges.iter().filter_map(|one| one.writes.as_ref());
        let known = known.flat_map(|writes| &writes.foreign);
        let mut known = known.chain(&self.case().subject.foreign);
        known.any(|foreign| foreign[..] == *path)
    }

    /// Does the subject change this by itself, with no other program, as far as is known?
    pub fn writes_itself(&self, path: &[u8]) -> bool {
        let known = self.exchanges.iter().filter_map(|one| one.writes.as_ref());
        let known = known.flat_map(|writes| &writes.own);
        let mut known = known.chain(&self.case().subject.own);
        known.any(|own| own[..] == *path)
    }

    /// The exchange of this key in process 0, or in whichever process has it.
    pub fn exchange(&self, key: &str) -> Option<&Exchange> {
        self.by_key.get(key).map(|index| &self.exchanges[*index])
    }

    /// What is known of the promise that an exchange is about.
    pub fn promise(&self, exchange: &Exchange) -> Option<&Item> {
        self.case().items.get(exchange.promise_at?)
    }

    /// Is the exchange about one of the author's valid examples, unchanged?
    pub fn is_original(&self, exchange: &Exchange) -> bool {
        self.promise(exchange)
            .is_some_and(|promise| promise.original && !promise.invalid)
    }

    /// The process of an exchange.
    pub fn process(&self, exchange: &Exchange) -> &Process {
        &self.processes[exchange.process]
    }

    /// Is this the last exchange of its process?
    pub fn is_last(&self, exchange: &Exchange) -> bool {
        !self
            .exchanges
            .iter()
            .any(|other| other.process == exchange.process && other.number > exchange.number)
    }

    /// The protocol of an exchange's process.
    pub fn protocol(&self, exchange: &Exchange) -> Option<Protocol> {
        self.process(exchange).protocol
    }

    /// Answered validations.
    pub fn validations(&self) -> impl Iterator<Item = &Exchange> {
        self.answered(phase::VALIDATE)
    }

    /// Answered evaluations.
    pub fn evaluations(&self) -> impl Iterator<Item = &Exchange> {
        self.answered(phase::EVALUATE)
    }

    /// Answered exchanges of a phase.
    pub fn answered(&self, phase: Phase) -> impl Iterator<Item = &Exchange> {
        self.exchanges
            .iter()
            .filter(move |exchange| exchange.phase == phase && exchange.response.is_some())
    }

    /// All answered exchanges but headers.
    pub fn responses(&self) -> impl Iterator<Item = (&Exchange, &Response)> {
        self.exchanges
            .iter()
            .filter_map(|exchange| Some((exchange, exchange.response.as_deref()?)))
    }

    /// Headers, one a process.
    pub fn headers(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges
            .iter()
            .filter(|exchange| exchange.phase == phase::HEADER)
    }

    /// The end state: every path that differs from how the session began, with
    /// what is there now (`None`: it was deleted).
    pub fn end_state(&self) -> BTreeMap<&[u8], Option<&Entry>> {
        Self::state_of(&self.observations)
    }

    /// The state when an exchange was done, as [`Session::end_state`] is that of the end.
    pub fn state_after(&self, exchange: &Exchange) -> BTreeMap<&[u8], Option<&Entry>> {
        let holds = |o: &Observation| o.exchanges.contains(&exchange.number);
        let at = self.observations.iter().position(holds);
        Self::state_of(at.map_or(&self.observations[..], |at| &self.observations[..=at]))
    }

    fn state_of(observations: &[Observation]) -> BTreeMap<&[u8], Option<&Entry>> {
        let mut state = BTreeMap::new();
        for change in observations.iter().flat_map(|o| &o.changes) {
            let entry = match change.kind {
                ChangeKind::Deleted => None,
                _ => change.after.as_ref(),
            };
            state.insert(&change.path[..], entry);
        }
        state
    }

    /// Did the harness change files between two exchanges?
    pub fn changed_between(&self, first: &Exchange, second: &Exchange) -> bool {
        let mut between = false;
        for event in &self.transcript.events {
            match event {
                Event::Request(input) if input.exchange == first.number => between = true,
                Event::Request(input) if input.exchange == second.number => return false,
                Event::Drifted { .. } | Event::Protected { .. } if between => return true,
                _ => {}
            }
        }
        false
    }

    /// Marks the exchanges of processes that sent a message too many, and takes
    /// the rest by their keys.
    fn set_apart(&mut self) {
        let shifted: Vec<bool> = (0..self.processes.len())
            .map(|process| shifts(self, process))
            .collect();
        for (index, exchange) in self.exchanges.iter_mut().enumerate() {
            if exchange.phase != phase::HEADER && shifted[exchange.process] {
                exchange.shifted = true;
                exchange.response = None;
                exchange.effects = None;
            } else {
                self.by_key.entry(exchange.key.clone()).or_insert(index);
            }
        }
    }

    /// Were effects read in this session after each evaluation?
    pub fn observes(&self) -> bool {
        self.exchanges.iter().any(|e| e.effects.is_some())
    }
}
