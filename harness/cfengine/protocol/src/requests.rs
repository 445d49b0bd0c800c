//! Finds the requests in what an agent sent. A recording contains only bytes. This module finds
//! where each message begins, and which answer belongs to it.

use crate::message_len;
use crate::phase;
use crate::purpose;
use crate::wire::header::Protocol;
use crate::wire::request::{Operation, Request};
use crate::wire::value::Style;
use std::collections::{HashMap, VecDeque};
use stickler_judge::Provenance;
use stickler_transcript::{Deadlines, Event, Input, Key, Phase, Silence, Stream, Transcript};

/// Adds the requests to the transcript of an agent's session. If the agent sent a message before
/// the previous one was answered, the message is moved after that answer, but keeps its time.
pub(crate) fn found(mut transcript: Transcript) -> Transcript {
    let marked = |event: &Event| matches!(event, Event::Request(_));
    if !transcript.case.is_driven() || transcript.events.iter().any(marked) {
        return transcript;
    }
    // An external recorder does not know the deadlines of this dialect.
    if transcript.case.deadlines.is_empty() {
        transcript.case.deadlines = phase::usual_deadlines();
    }
    let mut finder = Finder {
        deadlines: transcript.case.deadlines.clone(),
        ..Finder::default()
    };
    for event in std::mem::take(&mut transcript.events) {
        finder.take(event);
    }
    transcript.events = finder.events;
    transcript
}

#[derive(Default)]
struct Finder {
    deadlines: Deadlines,
    events: Vec<Event>,
    processes: Vec<Pipes>,
    exchanges: usize,
    /// Numbers of promises, by their encoded requests.
    promises: HashMap<Vec<u8>, usize>,
}

/// The bytes to and from one process.
#[derive(Default)]
struct Pipes {
    /// The message that is being received.
    message: Message,
    /// Messages that came before the previous one was answered.
    waiting: VecDeque<Message>,
    /// The output since the last request, or since the start.
    output: Vec<u8>,
    /// The request without an answer so far: its phase and its time.
    open: Option<(Phase, u64)>,
    begun: bool,
}

#[derive(Default)]
struct Message {
    pieces: Vec<(u64, Vec<u8>)>,
    bytes: Vec<u8>,
}

impl Finder {
    fn take(&mut self, event: Event) {
        match event {
            Event::In { t, process, data } => self.input(t, process, &data),
            Event::Out { t, process, data } => self.output(t, process, &data),
            Event::Closed {
                t,
                process,
                stream: Stream::Stdin,
                by_harness: true,
            } => {
                self.cut(process);
                self.given_up(t, process, false);
                self.events.push(event);
            }
            Event::Killed { t, process } => {
                self.given_up(t, process, true);
                self.events.push(event);
            }
            Event::Exit { process, .. } => {
                self.cut(process);
                self.drain(process);
                self.events.push(event);
            }
            Event::Full { .. } | Event::End { .. } => {
                for process in 0..self.processes.len() {
                    self.cut(process);
                    self.drain(process);
                }
                self.events.push(event);
            }
            Event::Start { process, .. } => {
                *self.pipes(process) = Pipes::default();
                self.events.push(event);
            }
            other => self.events.push(other),
        }
    }

    fn pipes(&mut self, process: usize) -> &mut Pipes {
        if self.processes.len() <= process {
            self.processes.resize_with(process + 1, Pipes::default);
        }
        &mut self.processes[process]
    }

    fn input(&mut self, t: u64, process: usize, data: &[u8]) {
        let mut rest = data;
        while !rest.is_empty() {
            let pipes = self.pipes(process);
            let scanned = pipes.message.bytes.len();
            pipes.message.bytes.extend_from_slice(rest);
            let end = message_len(&pipes.message.bytes, scanned);
            let taken = end.map_or(rest.len(), |end| end - scanned);
            pipes.message.bytes.truncate(scanned + taken);
            pipes.message.pieces.push((t, rest[..taken].to_vec()));
            rest = &rest[taken..];
            if end.is_some() {
                let message = std::mem::take(&mut pipes.message);
                pipes.waiting.push_back(message);
                if pipes.open.is_none() {
                    self.next(process);
                }
            }
        }
    }

    fn output(&mut self, t: u64, process: usize, data: &[u8]) {
        let mut rest = data;
        while !rest.is_empty() {
            let pipes = self.pipes(process);
            let scanned = pipes.output.len();
            pipes.output.extend_from_slice(rest);
            let end = message_len(&pipes.output, scanned);
            let answered = pipes.open.is_some() && end.is_some();
            // What follows an answer belongs to the next waiting message, if there is one.
            let taken = match end {
                Some(end) if answered && !pipes.waiting.is_empty() => end - scanned,
                _ => rest.len(),
            };
            self.events.push(Event::Out {
                t,
                process,
                data: rest[..taken].into(),
            });
            rest = &rest[taken..];
            if answered {
                self.pipes(process).open = None;
                self.next(process);
            }
        }
    }

    /// Records the next waiting message as a request.
    fn next(&mut self, process: usize) {
        let exchange = self.exchanges + 1;
        let pipes = self.pipes(process);
        let Some(message) = pipes.waiting.pop_front() else {
            return;
        };
        let t = message.pieces.first().map_or(0, |(t, _)| *t);
        let request = parsed(&message.bytes);
        let phase = phase(request.as_ref(), pipes.begun);
        // A module may print its header before it has read the agent's.
        let early = !std::mem::replace(&mut pipes.begun, true);
        if !early {
            pipes.output.clear();
        }
        let answered = early && message_len(&pipes.output, 0).is_some();
        pipes.open = (!answered).then_some((phase, t));
        let key = match phase {
            phase::HEADER => purpose::HEADER.into(),
            phase => Key::parse(&format!("{phase}/{exchange}")),
        };
        self.exchanges = exchange;
        let promise = request.and_then(|request| self.label(&request));
        self.events.push(Event::Request(Input {
            t,
            process,
            exchange,
            phase,
            key,
            item: promise.map(Into::into),
            provenance: match phase {
                Phase::OTHER => Provenance::Beyond,
                _ => Provenance::Agent,
            },
            owed: phase != Phase::OTHER,
        }));
        let pieces = message.pieces.into_iter();
        self.events.extend(pieces.map(|(t, data)| Event::In {
            t,
            process,
            data: data.into(),
        }));
        if answered && !self.pipes(process).waiting.is_empty() {
            self.next(process);
        }
    }

    /// The label of a promise; all requests about one promise get the same label.
    fn label(&mut self, request: &Request) -> Option<String> {
        request.promiser.as_ref()?;
        // Only the parts by which a module distinguishes promises.
        let promise = Request {
            operation: Operation::Validate,
            log_level: None,
            filename: None,
            line_number: None,
            extra: Vec::new(),
            ..request.clone()
        }
        .encode(Protocol::Json, Style::Spec);
        let next = self.promises.len() + 1;
        let number = *self.promises.entry(promise).or_insert(next);
        Some(format!("p{number}"))
    }

    /// Queues an incomplete message that will not be completed.
    fn cut(&mut self, process: usize) {
        let pipes = self.pipes(process);
        let message = std::mem::take(&mut pipes.message);
        if !message.bytes.is_empty() {
            pipes.waiting.push_back(message);
            if pipes.open.is_none() {
                self.next(process);
            }
        }
    }

    /// Records all waiting messages: no more answers will come.
    fn drain(&mut self, process: usize) {
        while !self.pipes(process).waiting.is_empty() {
            self.next(process);
        }
    }

    /// The agent closed the input or sent a signal. Did it wait for the whole deadline before?
    fn given_up(&mut self, t: u64, process: usize, killed: bool) {
        let pipes = self.pipes(process);
        let Some((phase, since)) = pipes.open else {
            return;
        };
        // A sender that has sent more already, such as a file, waits for no answer.
        if !killed && !pipes.waiting.is_empty() {
            return;
        }
        let waited_us = t.saturating_sub(since);
        if waited_us >= self.deadlines.of(phase) {
            self.events.push(Event::Silent {
                t,
                process,
                why: Silence::Deadline,
                waited_us,
            });
        } else if !killed && phase != phase::TERMINATE {
            self.events.push(Event::Killed { t, process });
        }
    }
}

fn parsed(message: &[u8]) -> Option<Request> {
    [Protocol::Json, Protocol::Line]
        .into_iter()
        .find_map(|protocol| Request::parse(message, protocol))
}

fn phase(request: Option<&Request>, begun: bool) -> Phase {
    match request.map(|request| &request.operation) {
        Some(Operation::Validate) => phase::VALIDATE,
        Some(Operation::Evaluate) => phase::EVALUATE,
        Some(Operation::Terminate) => phase::TERMINATE,
        None if !begun => phase::HEADER,
        None | Some(Operation::Other(_)) => Phase::OTHER,
    }
}
