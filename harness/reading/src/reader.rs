//! Converts the events of a transcript into exchanges.

use crate::effects::never_counts;
use crate::{
    Ended, Exchange, Gathered, Left, Listened, Mark, Notification, Observation, Process, Writes,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use stickler_transcript::{
    Bytes, Case, Change, Event, Framing, Input, Name, Phase, Silence, Stream,
};

/// Builds a session from events.
pub(crate) struct Reader {
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) processes: Vec<Process>,
    pub(crate) observations: Vec<Observation>,
    pub(crate) left: Left,
    pub(crate) complete: bool,
    framing: Framing,
    current: Vec<Option<usize>>,
    early: Vec<Vec<(u64, Bytes)>>,
    /// Bytes of an incomplete message, if the dialect has notifications.
    pending: Vec<Vec<u8>>,
    /// The moments that the plan named.
    marks: BTreeMap<Name, Mark>,
    unobserved: Vec<usize>,
    began: bool,
    recorded: bool,
    /// When the last output came.
    latest: u64,
}

impl Reader {
    pub(crate) fn new(framing: Framing) -> Reader {
        Reader {
            framing,
            exchanges: Vec::new(),
            processes: Vec::new(),
            observations: Vec::new(),
            left: Left::default(),
            complete: false,
            current: Vec::new(),
            early: Vec::new(),
            pending: Vec::new(),
            marks: BTreeMap::new(),
            unobserved: Vec::new(),
            began: false,
            recorded: false,
            latest: 0,
        }
    }

    fn process(&mut self, process: usize) -> &mut Process {
        if self.processes.len() <= process {
            self.processes.resize_with(process + 1, Process::default);
            self.current.resize(process + 1, None);
            self.early.resize_with(process + 1, Vec::new);
            self.pending.resize_with(process + 1, Vec::new);
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

    pub(crate) fn event(&mut self, event: &Event, case: &Case) {
        self.recorded = case.is_driven();
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
                // What was recorded between two others has no such order.
                let recorded = self.recorded;
                if let Some(exchange) = self.current(*process) {
                    if exchange.message.is_some() && !recorded {
                        exchange.early.get_or_insert(exchange.sent.len());
                    }
                    exchange.sent.push(data);
                }
            }
            Event::Out { t, process, data } => self.came(*t, *process, data),
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
                // If the output was closed before, only the end of the process was awaited.
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
            Event::Effects {
                point,
                changes,
                truncated,
                ..
            } => self.effects(point, changes, *truncated, case),
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
            Event::Printed { process, data, .. } => {
                if let Some(exchange) = self.current(*process) {
                    exchange.printed.push(data);
                }
            }
            Event::Marked { t, mark } => {
                let counts = self.processes.iter().map(|one| one.notifications.len());
                let named = Mark {
                    name: mark.clone(),
                    t: *t,
                    counts: counts.collect(),
                };
                self.marks.insert(mark.clone(), named);
            }
            Event::Listened {
                t,
                process,
                name,
                since,
                heard,
                acknowledged,
                waited_us,
            } => {
                let since = since
                    .as_ref()
                    .and_then(|mark| self.marks.get(mark).cloned());
                let count = since.as_ref().and_then(|mark| mark.counts.get(*process));
                let from = count.copied().unwrap_or(0);
                let listened = Listened {
                    t: *t,
                    name: name.clone(),
                    since,
                    heard: None,
                    waited_us: *waited_us,
                };
                self.process(*process)
                    .listened(listened, from, *heard, *acknowledged);
            }
            Event::Outcome(_)
            | Event::Unsent { .. }
            | Event::Sample { .. }
            | Event::Verified { .. }
            | Event::Drifted { .. }
            | Event::Protected { .. }
            | Event::Trouble { .. } => {}
        }
    }

    /// The rest is not recorded. A missing answer is therefore no defect, and an incomplete answer
    /// counts as none.
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
            item: input.item.clone(),
            item_at: None,
            provenance: input.provenance,
            owed: input.owed,
            sent: Gathered::default(),
            early: None,
            output: Gathered::default(),
            message: None,
            pieces: Vec::new(),
            sent_at: input.t,
            answered_at: None,
            ended: Ended::NoAnswer,
            late: false,
            errors: Gathered::default(),
            printed: Gathered::default(),
            effects: None,
            truncated: false,
            writes: None,
        });
        self.current[input.process] = Some(index);
        self.unobserved.push(index);
        for (t, data) in std::mem::take(&mut self.early[input.process]) {
            self.output(t, input.process, &data);
        }
    }

    /// Separates notifications from answers, if the dialect has them.
    fn came(&mut self, t: u64, process: usize, data: &Bytes) {
        let Some(name_of) = self.framing.notification else {
            return self.output(t, process, data);
        };
        self.process(process);
        self.latest = t;
        let mut pending = std::mem::take(&mut self.pending[process]);
        pending.extend_from_slice(data);
        while let Some(end) = (self.framing.message_end)(&pending, 0) {
            let message: Bytes = pending.drain(..end).as_slice().into();
            if let Some(name) = name_of(&message) {
                let exchange = self.current[process].map(|at| self.exchanges[at].number);
                self.processes[process].notifications.push(Notification {
                    t,
                    name,
                    exchange,
                    message,
                    heard: false,
                    acknowledged_at: None,
                });
            } else {
                self.output(t, process, &message);
            }
        }
        self.pending[process] = pending;
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
        if let Some(end) = (self.framing.message_end)(&exchange.output, scanned) {
            exchange.message = Some(end);
            exchange.answered_at = Some(t);
            // An agent need not wait for the answer to its last request.
            let hurried = self.recorded && self.framing.last == Some(exchange.phase);
            exchange.late = closed && !hurried && exchange.phase != Phase::OTHER;
            // A missed deadline stays recorded.
            if !exchange.late {
                exchange.ended = Ended::Answered;
            }
        }
    }

    fn effects(&mut self, point: &str, changes: &[Change], truncated: bool, case: &Case) {
        let since = std::mem::take(&mut self.unobserved);
        let changes: Vec<Change> = changes
            .iter()
            .filter(|change| !never_counts(change, case))
            .cloned()
            .collect();
        if let [only] = since[..]
            && self.began
        {
            // If nothing could be recorded, nothing is known.
            let known = !truncated || !changes.is_empty();
            self.exchanges[only].effects = known.then(|| changes.clone());
            self.exchanges[only].truncated = truncated;
        }
        self.began = true;
        self.observations.push(Observation {
            point: point.to_owned(),
            exchanges: since.iter().map(|i| self.exchanges[*i].number).collect(),
            changes,
            truncated,
        });
    }

    pub(crate) fn finish(&mut self, case: &Case) {
        for process in 0..self.pending.len() {
            let rest = std::mem::take(&mut self.pending[process]);
            if !rest.is_empty() {
                let t = self.latest;
                self.output(t, process, &rest.into());
            }
        }
        for exchange in &mut self.exchanges {
            for gathered in [
                &mut exchange.sent,
                &mut exchange.output,
                &mut exchange.errors,
                &mut exchange.printed,
            ] {
                gathered.finish();
            }
            let process = &self.processes[exchange.process];
            if exchange.ended == Ended::NoAnswer
                && exchange.owed
                && process.closed_output_at.is_some()
            {
                exchange.ended = Ended::ClosedOutput;
            }
        }
        self.forgive_pipelining();
        self.find_items(case);
        self.find_steps();
    }

    /// If a recorded agent sent messages before earlier ones were answered, it waited for no
    /// answer: none came late.
    fn forgive_pipelining(&mut self) {
        let mut hurried = BTreeSet::new();
        for (process, _) in self.processes.iter().enumerate().filter(|_| self.recorded) {
            let own = || self.exchanges.iter().filter(|one| one.process == process);
            let mut pairs = own().zip(own().skip(1));
            if pairs.any(|(one, next)| one.answered_at.is_some_and(|t| t > next.sent_at)) {
                hurried.insert(process);
            }
        }
        for exchange in &mut self.exchanges {
            if exchange.late && hurried.contains(&exchange.process) {
                exchange.late = false;
                exchange.ended = Ended::Answered;
            }
        }
    }

    fn find_items(&mut self, case: &Case) {
        let mut places = HashMap::new();
        for (at, item) in case.items.iter().enumerate() {
            places.entry(&*item.label).or_insert(at);
        }
        for exchange in &mut self.exchanges {
            let label = exchange.item.as_deref();
            exchange.item_at = label.and_then(|label| places.get(label).copied());
        }
    }

    /// Finds from which exchange on answers may belong to earlier requests.
    fn find_steps(&mut self) {
        for exchange in &self.exchanges {
            let unanswered = !exchange.owed && exchange.message.is_none();
            let from = if (self.framing.message_end)(exchange.extra(), 0).is_some() {
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
