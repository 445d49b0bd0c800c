//! What a run tells, one thing after another: for people, and as lines of JSON.

use serde::Serialize;
use serde_json::Value as Json;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphEvent {
    /// Milliseconds on the run's clock, which jumps over waits.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What a call of `CheckApply` came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Came {
    /// The state was right.
    Ok,
    /// The state was changed.
    Changed,
    /// The state is wrong, and stays so under noop.
    WouldChange,
    /// An error.
    Error,
    /// A panic.
    Panic,
}

impl Came {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Came::Ok => "ok",
            Came::Changed => "changed",
            Came::WouldChange => "would change",
            Came::Error => "error",
            Came::Panic => "panic",
        }
    }
}

/// What happened. A vertex is `kind[name]`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum What {
    /// A graph is given to the engine.
    Graph {
        /// Its number, from 1.
        number: usize,
        /// Its name.
        name: String,
        /// Its vertices.
        vertices: Vec<String>,
        /// Its edges.
        edges: Vec<Edge>,
    },
    /// `Validate` was called.
    Validate {
        /// The vertex.
        vertex: String,
        /// Its error.
        error: Option<String>,
    },
    /// An automatic edge was added.
    AutoEdge {
        /// The edge: `kind[name] -> kind[name]`.
        edge: String,
    },
    /// A resource joined the group of another.
    Group {
        /// The one that joined.
        vertex: String,
        /// The head of the group.
        head: String,
    },
    /// `Cmp` was called, to see whether a vertex may stay.
    Cmp {
        /// The vertex.
        vertex: String,
        /// Why it may not.
        error: Option<String>,
    },
    /// `Init` was called.
    Init {
        /// The vertex.
        vertex: String,
        /// Its error.
        error: Option<String>,
    },
    /// `Watch` was started.
    Watch {
        /// The vertex.
        vertex: String,
        /// How often by now.
        n: u64,
    },
    /// `Watch` sent an event.
    Event {
        /// The vertex.
        vertex: String,
        /// Whether it is the first one, which says that the watches are armed.
        first: bool,
    },
    /// `Watch` returned.
    WatchEnd {
        /// The vertex.
        vertex: String,
        /// Its error.
        error: Option<String>,
        /// Its panic.
        panic: Option<String>,
    },
    /// A value was received.
    SendRecv {
        /// The receiver.
        vertex: String,
        /// From where to where.
        text: String,
    },
    /// `CheckApply` was called.
    CheckApply {
        /// The vertex.
        vertex: String,
        /// Whether it could change the state.
        apply: bool,
        /// Whether a refresh was pending.
        refresh: bool,
        /// What it came to.
        result: Came,
        /// Its error or panic.
        error: Option<String>,
        /// What it sent.
        sent: Option<Json>,
        /// The members of its group.
        members: Vec<String>,
    },
    /// The engine said something of a vertex, such as that it is tried again.
    Engine {
        /// The vertex.
        vertex: String,
        /// What it said.
        text: String,
    },
    /// A resource wrote a line into its log.
    Log {
        /// The vertex.
        vertex: String,
        /// The line.
        text: String,
    },
    /// A resource did what it must not do.
    Misuse {
        /// The vertex.
        vertex: String,
        /// What it did.
        text: String,
    },
    /// The engine refused a graph.
    Refused {
        /// Why.
        error: String,
    },
    /// All is quiet, or not any more.
    Converged {
        /// Which of both.
        converged: bool,
    },
    /// `Cleanup` was called.
    Cleanup {
        /// The vertex.
        vertex: String,
        /// Its error.
        error: Option<String>,
    },
    /// How a vertex stands at the end.
    End(End),
    /// How the run went.
    Summary(Summary),
}

/// An edge of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// The vertex that comes first.
    pub from: String,
    /// The vertex that waits.
    pub to: String,
    /// Whether a change is told.
    pub notify: bool,
}

/// How a vertex stands at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct End {
    /// The vertex.
    pub vertex: String,
    /// The number of its graph.
    pub graph: usize,
    /// Its state, in the engine's words: `ok`, `failed`, `never started`, `never ran`, `watch ended`, `grouped`,
    /// `removed`, `not added`, `kept`.
    pub state: String,
    /// The error of one that failed.
    pub error: Option<String>,
    /// How often `CheckApply` was called.
    pub checks: usize,
    /// How often it changed the state.
    pub changes: usize,
}

impl End {
    /// Did it end in a way that it should not?
    pub fn is_bad(&self) -> bool {
        ["failed", "never started", "never ran", "watch ended"].contains(&&*self.state)
    }
}

/// How a run went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The vertices of all graphs.
    pub vertices: usize,
    /// The calls of `CheckApply`.
    pub checks: usize,
    /// Those that changed something.
    pub changes: usize,
    /// The vertices that failed, or never ran.
    pub failed: usize,
    /// Misuse, such as a Watch that does not end.
    pub misuses: usize,
    /// Did the last graph converge?
    pub converged: bool,
    /// Was it interrupted?
    pub interrupted: bool,
    /// Real milliseconds.
    pub real_ms: u64,
}
