//! What an agent that keeps the record itself adds to it: how it ran, and its conclusion about each
//! item.

use crate::{Bytes, Name};
use serde::{Deserialize, Serialize};

/// What a run may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Everything that the policy asks for.
    Normal,
    /// Nothing.
    DryRun,
    /// Nothing; changes are simulated.
    Simulate,
}

/// How the agent ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentRun {
    /// The agent's name.
    pub name: String,
    /// Whose behaviour it follows, as its dialect names it: a version, or `spec`.
    pub compat: Name,
    /// What it may change.
    pub mode: Mode,
}

/// What happened to an item, or what a subject claims about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It already was as wanted: kept, unchanged, in sync.
    Unchanged,
    /// It was made as wanted: repaired, changed.
    Changed,
    /// It is not as wanted: not kept, failed.
    Failed,
    /// It is invalid in itself.
    Refused,
    /// The agent left it out: a dependency failed, or it is not due.
    Skipped,
}

/// The agent's conclusion about an item: in one pass over a policy, in a transaction, or in one
/// visit of a vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemOutcome {
    /// Time since the session began, in microseconds.
    pub t: u64,
    /// Its kind, in the words of its dialect.
    pub kind: Bytes,
    /// What identifies it, as far as it is resolved.
    pub identity: Bytes,
    /// Its place in the agent's input: file, line, and the iteration if it contains a list. In a
    /// planned session, the key of the message that stands for it.
    pub place: String,
    /// What happened to the item.
    pub outcome: Fate,
    /// How often the agent has processed it, from 1: the pass, the transaction, the visit.
    pub turn: u32,
    /// Did a variable in it have no value?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unresolved: bool,
    /// Must nothing change for it, because it or the run asks only for warnings?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warns: bool,
    /// The place of the item that caused this turn (a refresh), or that failed before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The agent's own messages at level `error` or above, without those of the subject.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Bytes>,
    /// Names that the agent defines because of the subject's answers, such as result classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defines: Vec<Bytes>,
}
