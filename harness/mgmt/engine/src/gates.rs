//! Gates that scripted calls wait for.

use std::collections::{HashMap, HashSet};

use crate::ids::VertexId;

/// Which gates are open, and who waits.
#[derive(Debug, Default)]
pub struct Gates {
    open: HashSet<String>,
    waiting: HashMap<String, Vec<VertexId>>,
}

impl Gates {
    /// Whether the gate is open.
    pub fn is_open(&self, name: &str) -> bool {
        self.open.contains(name)
    }

    /// Opens a gate; who waited for it.
    pub fn open(&mut self, name: &str) -> Vec<VertexId> {
        self.open.insert(name.to_owned());
        self.waiting.remove(name).unwrap_or_default()
    }

    pub(crate) fn wait(&mut self, name: String, vertex: VertexId) {
        self.waiting.entry(name).or_default().push(vertex);
    }
}
