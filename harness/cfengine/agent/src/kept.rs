//! What is kept from run to run, in the work directory's `state`: when promises
//! were last kept, classes that persist, what is known of watched files.

mod classes;
mod locks;
mod table;

pub(crate) use classes::Persistent;
pub(crate) use table::Table;

use crate::context::Agent;
use crate::log::Level;

/// All tables that outlive a run.
pub(crate) struct Kept {
    /// When promises were last taken, in seconds of the epoch, by identity.
    pub(crate) locks: Table<i64>,
    /// Classes that later runs find set.
    pub(crate) classes: Table<Persistent>,
    /// What `changes` found of files.
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
    /// Writes down what the next run is to know.
    pub(crate) fn keep_for_later(&mut self) {
        self.purge_locks();
        let failures = [
            self.kept.locks.save(),
            self.kept.classes.save(),
            self.kept.watched.save(),
        ];
        for message in failures.into_iter().filter_map(Result::err) {
            self.say(Level::Error, message);
        }
    }
}
