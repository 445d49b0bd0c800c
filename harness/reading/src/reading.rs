//! A whole session.

use crate::reader::Reader;
use crate::{Exchange, Left, Observation, Process};
use std::borrow::Borrow;
use std::collections::BTreeMap;
use stickler_transcript::{Case, ChangeKind, Entry, Event, Framing, Item, Key, Transcript};

/// A session: its record and its contents. `E` and `P` are a dialect's own types for exchanges and
/// processes.
#[derive(Clone, Debug)]
pub struct Reading<E = Exchange, P = Process> {
    /// The record.
    pub transcript: Transcript,
    /// The messages and answers, in order.
    pub exchanges: Vec<E>,
    /// The processes, by number.
    pub processes: Vec<P>,
    /// The points at which effects were recorded.
    pub observations: Vec<Observation>,
    /// The processes that outlived the subject.
    pub left: Left,
    /// Were all steps of the plan executed?
    pub complete: bool,
    by_key: BTreeMap<Key, usize>,
}

impl Reading {
    /// Reads a transcript.
    pub fn of(transcript: Transcript, framing: Framing) -> Reading {
        let mut reader = Reader::new(framing);
        for event in &transcript.events {
            reader.event(event, &transcript.case);
        }
        reader.finish(&transcript.case);
        let mut reading = Reading {
            exchanges: reader.exchanges,
            processes: reader.processes,
            observations: reader.observations,
            left: reader.left,
            complete: reader.complete,
            by_key: BTreeMap::new(),
            transcript,
        };
        reading.index(|_| true);
        reading
    }

    /// What `read` makes of the notifications, by the number of the exchange during which they came. Those that came
    /// between exchanges, or of which it makes nothing, are left out.
    pub fn notified<T>(&self, read: impl Fn(&[u8]) -> Option<T>) -> BTreeMap<usize, Vec<T>> {
        let mut by_exchange: BTreeMap<usize, Vec<T>> = BTreeMap::new();
        for told in self.processes.iter().flat_map(|one| &one.notifications) {
            if let (Some(exchange), Some(read)) = (told.exchange, read(&told.message)) {
                by_exchange.entry(exchange).or_default().push(read);
            }
        }
        by_exchange
    }

    /// The same session with a dialect's own processes and exchanges. To convert a process, the
    /// function gets all exchanges; to convert an exchange, it gets its process.
    pub fn map<E: Borrow<Exchange>, P: Borrow<Process>>(
        self,
        mut process: impl FnMut(usize, Process, &[Exchange]) -> P,
        mut exchange: impl FnMut(Exchange, &P) -> E,
    ) -> Reading<E, P> {
        let own: Vec<P> = self
            .processes
            .into_iter()
            .enumerate()
            .map(|(number, one)| process(number, one, &self.exchanges))
            .collect();
        let exchanges = self.exchanges.into_iter().map(|one| {
            let of = &own[one.process];
            exchange(one, of)
        });
        Reading {
            exchanges: exchanges.collect(),
            processes: own,
            transcript: self.transcript,
            observations: self.observations,
            left: self.left,
            complete: self.complete,
            by_key: self.by_key,
        }
    }
}

impl<E: Borrow<Exchange>, P: Borrow<Process>> Reading<E, P> {
    /// Indexes exchanges by their keys; only those for which `counts` returns true are found.
    pub fn index(&mut self, counts: impl Fn(&E) -> bool) {
        self.by_key.clear();
        for (index, exchange) in self.exchanges.iter().enumerate() {
            if counts(exchange) {
                let key = exchange.borrow().key.clone();
                self.by_key.entry(key).or_insert(index);
            }
        }
    }

    /// The case.
    pub fn case(&self) -> &Case {
        &self.transcript.case
    }

    /// Did the harness prevent writes: by a protected target, or by a call that it made to fail?
    pub fn refuses_writes(&self) -> bool {
        let failed = |exchange: &E| exchange.borrow().failed_write().is_some();
        self.case().protection.is_some() || self.exchanges.iter().any(failed)
    }

    /// Did only stand-ins for commands change this path, or make the directory in which it lies, as far as is known?
    pub fn is_foreign(&self, path: &[u8]) -> bool {
        let known = self
            .exchanges
            .iter()
            .filter_map(|one| one.borrow().writes.as_ref());
        let known = known.flat_map(|writes| &writes.foreign);
        let mut known = known.chain(&self.case().subject.foreign);
        known.any(|foreign| foreign[..] == *path || is_in(path, foreign))
    }

    /// Does the subject's own process change this path, without other programs, as far as is known?
    pub fn writes_itself(&self, path: &[u8]) -> bool {
        let known = self
            .exchanges
            .iter()
            .filter_map(|one| one.borrow().writes.as_ref());
        let known = known.flat_map(|writes| &writes.own);
        let mut known = known.chain(&self.case().subject.own);
        known.any(|own| own[..] == *path)
    }

    /// The exchange with this key: in process 0 if it has one, otherwise in any process.
    pub fn exchange(&self, key: &Key) -> Option<&E> {
        self.by_key.get(key).map(|index| &self.exchanges[*index])
    }

    /// The item of an exchange.
    pub fn item(&self, exchange: &Exchange) -> Option<&Item> {
        self.case().items.get(exchange.item_at?)
    }

    /// Is the exchange about one of the author's valid examples, unchanged?
    pub fn is_original(&self, exchange: &Exchange) -> bool {
        self.item(exchange)
            .is_some_and(|item| item.original && !item.invalid)
    }

    /// The process of an exchange.
    pub fn process(&self, exchange: &Exchange) -> &P {
        &self.processes[exchange.process]
    }

    /// Is this the last exchange of its process?
    pub fn is_last(&self, exchange: &Exchange) -> bool {
        !self
            .exchanges
            .iter()
            .map(E::borrow)
            .any(|other| other.process == exchange.process && other.number > exchange.number)
    }

    /// The end state: every path that differs from the start of the session, with its present entry
    /// (`None`: it was deleted).
    pub fn end_state(&self) -> BTreeMap<&[u8], Option<&Entry>> {
        state_of(&self.observations)
    }

    /// Were there more changes than are recorded? Then the states and the comparisons of states are
    /// unknown.
    pub fn is_truncated(&self) -> bool {
        self.observations.iter().any(|one| one.truncated)
    }

    /// The state right after an exchange, in the form of [`Reading::end_state`].
    pub fn state_after(&self, exchange: &Exchange) -> BTreeMap<&[u8], Option<&Entry>> {
        let holds = |o: &Observation| o.exchanges.contains(&exchange.number);
        let at = self.observations.iter().position(holds);
        state_of(at.map_or(&self.observations[..], |at| &self.observations[..=at]))
    }

    /// A variable of the environment in which the subject starts.
    pub fn environment(&self, wanted: &str) -> Option<&[u8]> {
        let plan = self.transcript.case.plan.as_ref()?;
        let mut variables = plan.commands.first()?.env.iter();
        let found = variables.find(|(name, _)| name[..] == *wanted.as_bytes());
        found.map(|(_, value)| &value[..])
    }

    /// Did the harness, or a command of the author's, change something between two exchanges?
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

/// Does a path lie right in this directory?
fn is_in(path: &[u8], directory: &[u8]) -> bool {
    let parent = path.iter().rposition(|byte| *byte == b'/');
    parent.is_some_and(|at| path[..at] == *directory)
}
