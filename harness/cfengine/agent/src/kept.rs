//! The state that persists between runs, in the work directory's `state`: locks of promises,
//! persistent classes, records of monitored files.

mod classes;
mod locks;
mod table;

pub(crate) use classes::Persistent;
pub(crate) use table::Table;

use crate::context::Agent;
use crate::log::Severity;

/// All persistent tables.
pub(crate) struct Kept {
    /// When each promise was last claimed, in seconds since 1970, by identity.
    pub(crate) locks: Table<i64>,
    /// The persistent classes.
    pub(crate) classes: Table<Persistent>,
    /// The records of `changes` promises.
    pub(crate) watched: Table<serde_json::Value>,
}

impl Kept {
    pub(crate) fn new(workdir: &std::path::Path) -> Self {
        let state = workdir.join("state");
        Self {
            locks: Table::new(state.join("stickler_locks.json")),
            classes: Table::new(state.join("stickler_classes.json")),
            watched: Table::new(state.join("stickler_changes.json")),
        }
    }
}

impl Agent {
    /// Saves the state for the next run.
    pub(crate) fn keep_for_later(&mut self) {
        self.purge_locks();
        let failures = [
            self.kept.locks.save(),
            self.kept.classes.save(),
            self.kept.watched.save(),
        ];
        for message in failures.into_iter().filter_map(Result::err) {
            self.say(Severity::Error, message);
        }
    }
}
