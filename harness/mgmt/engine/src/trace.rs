//! What a run did, in lanes.

use serde_json::{Map, Value as Json};

use crate::ids::InstanceId;

/// The lanes of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// Validate, Init, Cleanup and the like.
    Life,
    /// Watch and its events.
    Watch,
    /// Values that arrived.
    Recv,
    /// CheckApply, and what the engine says of it.
    Run,
}

impl Lane {
    /// Its name in a recording.
    pub fn word(self) -> &'static str {
        match self {
            Lane::Life => "life",
            Lane::Watch => "watch",
            Lane::Recv => "recv",
            Lane::Run => "run",
        }
    }
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct Item {
    /// To which instance.
    pub instance: InstanceId,
    /// In which lane.
    pub lane: Lane,
    /// Its fields as in a recording, without `phase` and `end_phase`.
    pub fields: Map<String, Json>,
    /// The phase in which it began.
    pub phase: usize,
    /// The phase in which it ended; `None` if it never did.
    pub end_phase: Option<usize>,
    /// Its place in the order of all beginnings and ends.
    pub begin: u64,
    /// The same for its end.
    pub end: u64,
    /// The virtual time of its beginning.
    pub at_ms: u64,
}

/// The number of an item.
pub type ItemId = usize;

/// The recorder of a run.
#[derive(Debug, Default)]
pub struct Trace {
    /// All items in order of their beginning.
    pub items: Vec<Item>,
    /// The phase that now is.
    pub phase: usize,
    /// When the last call began or ended.
    pub last_call_ms: u64,
    /// Good validations after a value arrived, by instance.
    pub revalidations: Vec<u64>,
    /// Nothing is kept, for speed.
    pub off: bool,
    clock: u64,
}

impl Trace {
    /// Adds an item that has not ended.
    pub fn begin(
        &mut self,
        instance: InstanceId,
        lane: Lane,
        at_ms: u64,
        call: &str,
        fields: impl FnOnce(&mut Map<String, Json>),
    ) -> ItemId {
        if call != "log" {
            self.last_call_ms = at_ms;
        }
        if self.off {
            return 0;
        }
        let mut map = Map::new();
        map.insert("call".to_owned(), Json::from(call));
        fields(&mut map);
        self.clock += 1;
        self.items.push(Item {
            instance,
            lane,
            fields: map,
            phase: self.phase,
            end_phase: None,
            begin: self.clock,
            end: u64::MAX,
            at_ms,
        });
        self.items.len() - 1
    }

    /// Ends an item.
    pub fn end(&mut self, item: ItemId, at_ms: u64, fields: impl FnOnce(&mut Map<String, Json>)) {
        self.last_call_ms = at_ms;
        if self.off {
            return;
        }
        self.clock += 1;
        let clock = self.clock;
        let phase = self.phase;
        if let Some(item) = self.items.get_mut(item) {
            item.end_phase = Some(phase);
            // An event counts from the moment that it is offered.
            item.end = if item.fields.get("call").and_then(Json::as_str) == Some("event") {
                item.begin
            } else {
                clock
            };
            fields(&mut item.fields);
        }
    }

    /// Adds an item that is over at once.
    pub fn note(
        &mut self,
        instance: InstanceId,
        lane: Lane,
        at_ms: u64,
        call: &str,
        fields: impl FnOnce(&mut Map<String, Json>),
    ) {
        let item = self.begin(instance, lane, at_ms, call, fields);
        if self.off {
            return;
        }
        if let Some(item) = self.items.get_mut(item) {
            item.end_phase = Some(item.phase);
            item.end = item.begin;
        }
    }

    /// Adds a line of the engine's log.
    pub fn log(&mut self, instance: InstanceId, lane: Lane, at_ms: u64, message: &str) {
        self.note(instance, lane, at_ms, "log", |fields| {
            fields.insert("msg".to_owned(), Json::from(message));
        });
    }

    pub(crate) fn revalidated(&mut self, instance: InstanceId) {
        if self.revalidations.len() <= instance {
            self.revalidations.resize(instance + 1, 0);
        }
        self.revalidations[instance] += 1;
    }
}

/// Adds the error of a call that failed.
pub(crate) fn add_error<T>(fields: &mut Map<String, Json>, answer: &Result<T, String>) {
    if let Err(error) = answer {
        fields.insert("err".to_owned(), Json::from(error.as_str()));
    }
}
