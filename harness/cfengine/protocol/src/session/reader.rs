//! From the events of a transcript to a session.

use super::{Ended, Exchange, Left, Observation, Process, Session, Writes};
use crate::effects::never_counts;
use crate::facts::Facts;
use crate::gathered::Gathered;
use crate::memo::Memo;
use crate::message_len;
use crate::phase;
use crate::turn::skip_empty_lines;
use crate::wire::header::Protocol;
use std::collections::{BTreeMap, HashMap};
use stickler_transcript::{
    Bytes, Case, Change, Driver, Event, Input, Phase, Silence, Stream, Transcript,
};

/// Builds a session from events.
#[derive(Default)]
pub(super) struct Reader {
    exchanges: Vec<Exchange>,
    processes: Vec<Process>,
    observations: Vec<Observation>,
    left: Left,
    complete: bool,
    current: Vec<Option<usize>>,
    early: Vec<Vec<(u64, Bytes)>>,
    unobserved: Vec<usize>,
    began: bool,
    recorded: bool,
}

impl Reader {
    fn process(&mut self, process: usize) -> &mut Process {
        if self.processes.len() <= process {
            self.processes.resize_with(process + 1, Process::default);
            self.current.resize(process + 1, None);
            self.early.resize_with(process + 1, Vec::new);
        }
        &mut self.processes[process]
    }

    fn current(&mut self, process: usize) -> Option<&mut Exchange> {
        self.process(process);
        self.current[process].map(|index| &mut self.exchanges[index])
    }

    /// The exchange that still waits for its answer.
    fn open(&mut self, process: usize) -> Option<&mut Exchange> {
        self.current(process)
            .filter(|exchange| exchange.message.is_none() && exchange.ended == Ended::NoAnswer)
    }

    pub(super) fn event(&mut self, event: &Event, case: &Case) {
        self.recorded = case.driver != Driver::Suite;
        match event {
            Event::Start { t, process } => {
                *self.process(*process) = Process {
                    started_at: *t,
                    ..Process::default()
                };
                self.current[*process] = None;
            }
            Event::Request(input) => self.request(input),
            Event::In { process, data, .. } => {
                if let Some(exchange) = self.current(*process) {
                    exchange.sent.push(data);
                }
            }
            Event::Out { t, process, data } => self.output(*t, *process, data),
            Event::Err { process, data, .. } => {
                if let Some(exchange) = self.current(*process) {
                    exchange.errors.push(data);
                }
            }
            Event::Closed {
                t,
                process,
                stream,
                by_harness,
            } => match (stream, by_harness) {
                (Stream::Stdin, true) => self.process(*process).input_closed_at = Some(*t),
                (Stream::Stdin, false) => self.process(*process).closed_input = true,
                (Stream::Stdout, false) => self.process(*process).closed_output_at = Some(*t),
                _ => {}
            },
            Event::Silent { process, why, .. } => {
                // Once the output is closed, nothing was waited for but the end.
                let closed = self.process(*process).closed_output_at.is_some();
                let awaited = !closed || !matches!(why, Silence::Deadline | Silence::Input);
                match self.open(*process).filter(|_| awaited) {
                    Some(exchange) => exchange.ended = Ended::Silent(*why),
                    None => self.process(*process).outlived = true,
                }
            }
            Event::Killed { process, .. } => {
                let state = self.process(*process);
                state.killed = true;
                let closed = state.closed_output_at.is_some();
                if let Some(exchange) = self.open(*process).filter(|exchange| exchange.owed) {
                    exchange.ended = if closed {
                        Ended::ClosedOutput
                    } else {
                        Ended::Killed
                    };
                }
            }
            Event::Writes {
                process,
                count,
                failed,
                call,
                foreign,
                own,
                ..
            } => {
                if let Some(exchange) = self.current(*process) {
                    exchange.writes = Some(Box::new(Writes {
                        count: *count,
                        failed: *failed,
                        call: call.as_deref().cloned(),
                        foreign: foreign.clone(),
                        own: own.clone(),
                    }));
                }
            }
            Event::Exit {
                t, process, cause, ..
            } => {
                self.process(*process).exit = Some((*t, *cause));
                if let Some(exchange) = self.open(*process) {
                    exchange.ended = Ended::Exited(*cause);
                }
            }
            Event::Effects { point, changes, .. } => self.effects(point, changes, case),
            Event::Left {
                processes,
                holds_stdout,
                holds_stdin,
                ..
            } => {
                self.left = Left {
                    processes: processes.clone(),
                    holds_stdout: *holds_stdout,
                    holds_stdin: *holds_stdin,
                };
            }
            Event::End { complete, .. } => {
                self.complete = *complete;
                if self.recorded && !complete {
                    self.stop();
                }
            }
            Event::Full { .. } => self.stop(),
            Event::Outcome(_)
            | Event::Unsent { .. }
            | Event::Sample { .. }
            | Event::Drifted { .. }
            | Event::Protected { .. }
            | Event::Trouble { .. } => {}
        }
    }

    /// What comes from here on is not recorded, so nothing is missed, and half
    /// an answer is none.
    fn stop(&mut self) {
        for process in 0..self.processes.len() {
            if let Some(exchange) = self.open(process) {
                exchange.owed = false;
                exchange.output = Gathered::default();
                exchange.pieces.clear();
            }
            self.current[process] = None;
        }
    }

    fn request(&mut self, input: &Input) {
        self.process(input.process);
        let index = self.exchanges.len();
        self.exchanges.push(Exchange {
            number: input.exchange,
            process: input.process,
            phase: input.phase,
            key: input.key.clone(),
            promise: input.item.clone(),
            promise_at: None,
            provenance: input.provenance,
            owed: input.owed,
            sent: Gathered::default(),
            request: None,
            output: Gathered::default(),
            message: None,
            response: None,
            pieces: Vec::new(),
            sent_at: input.t,
            answered_at: None,
            ended: Ended::NoAnswer,
            late: false,
            errors: Gathered::default(),
            effects: None,
            writes: None,
            shifted: false,
        });
        self.current[input.process] = Some(index);
        self.unobserved.push(index);
        for (t, data) in std::mem::take(&mut self.early[input.process]) {
            self.output(t, input.process, &data);
        }
    }

    fn output(&mut self, t: u64, process: usize, data: &Bytes) {
        self.process(process);
        let closed = self.processes[process].input_closed_at.is_some();
        let Some(index) = self.current[process] else {
            self.early[process].push((t, data.clone()));
            return;
        };
        let exchange = &mut self.exchanges[index];
        let scanned = exchange.output.len();
        exchange.output.push(data);
        exchange.pieces.push((t, data.len()));
        if exchange.message.is_some() {
            return;
        }
        if let Some(end) = message_len(&exchange.output, scanned) {
            exchange.message = Some(end);
            exchange.answered_at = Some(t);
            // An agent need not wait for the answer to its last request.
            let hurried = self.recorded && exchange.phase == phase::TERMINATE;
            exchange.late = closed && !hurried && exchange.phase != Phase::OTHER;
            // A deadline that had passed stays on record.
            if !exchange.late {
                exchange.ended = Ended::Answered;
            }
        }
    }

    fn effects(&mut self, point: &str, changes: &[Change], case: &Case) {
        let since = std::mem::take(&mut self.unobserved);
        let changes: Vec<Change> = changes
            .iter()
            .filter(|change| !never_counts(change, case))
            .cloned()
            .collect();
        if let [only] = since[..]
            && self.began
        {
            self.exchanges[only].effects = Some(changes.clone());
        }
        self.began = true;
        self.observations.push(Observation {
            point: point.to_owned(),
            exchanges: since.iter().map(|i| self.exchanges[*i].number).collect(),
            changes,
        });
    }

    pub(super) fn finish(mut self, transcript: Transcript, memo: &Memo) -> Session {
        for exchange in &self.exchanges {
            if let Some(header) = exchange.header() {
                let process = &mut self.processes[exchange.process];
                process.protocol = header.protocol();
                process.action_policy = header.action_policy();
            }
        }
        let facts = Facts::of(&transcript.case.facts);
        let known = facts.protocol;
        for exchange in &mut self.exchanges {
            for gathered in [
                &mut exchange.sent,
                &mut exchange.output,
                &mut exchange.errors,
            ] {
                gathered.finish();
            }
            let process = &mut self.processes[exchange.process];
            // An agent goes on with the line protocol where a header names none.
            let protocol = process.protocol.or(known).unwrap_or(Protocol::Line);
            process.protocol = Some(protocol);
            if exchange.phase != phase::HEADER {
                if exchange.owed {
                    exchange.request = memo.request(&exchange.sent, protocol);
                }
                if let Some(end) = exchange.message {
                    // Empty lines before the answer are a defect of their own.
                    let start = end - skip_empty_lines(&exchange.output[..end]).len();
                    let answer = exchange.output.part(start..end);
                    exchange.response = Some(memo.response(&answer, protocol));
                }
            }
            if exchange.ended == Ended::NoAnswer
                && exchange.owed
                && process.closed_output_at.is_some()
            {
                exchange.ended = Ended::ClosedOutput;
            }
        }
        self.find_promises(&transcript.case);
        self.find_steps();
        let mut session = Session {
            transcript,
            exchanges: self.exchanges,
            processes: self.processes,
            observations: self.observations,
            left: self.left,
            complete: self.complete,
            facts,
            by_key: BTreeMap::new(),
        };
        session.set_apart();
        session
    }

    fn find_promises(&mut self, case: &Case) {
        let mut places = HashMap::new();
        for (at, promise) in case.items.iter().enumerate() {
            places.entry(&*promise.label).or_insert(at);
        }
        for exchange in &mut self.exchanges {
            let label = exchange.promise.as_deref();
            exchange.promise_at = label.and_then(|label| places.get(label).copied());
        }
    }

    /// From where on answers may be earlier requests'.
    fn find_steps(&mut self) {
        for exchange in &self.exchanges {
            let unanswered = !exchange.owed && exchange.message.is_none();
            let from = if message_len(exchange.extra(), 0).is_some() {
                exchange.number
            } else if unanswered {
                exchange.number + 1
            } else {
                continue;
            };
            let known = &mut self.processes[exchange.process].out_of_step;
            *known = Some(known.map_or(from, |known| known.min(from)));
        }
    }
}
