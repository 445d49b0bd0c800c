//! What an agent that keeps the record itself adds to it: how it was run, and
//! what it made of each promise.

use crate::Bytes;
use serde::{Deserialize, Serialize};

/// Whose behaviour the agent has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compat {
    /// That of CFEngine 3.21.0, also where it breaks a rule.
    #[serde(rename = "3.21.0")]
    Deployed,
    /// That of the specification.
    #[serde(rename = "spec")]
    Specification,
}

/// What a run may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Everything that is promised.
    Normal,
    /// Nothing.
    DryRun,
    /// Nothing; changes are simulated.
    Simulate,
}

/// How the agent was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentRun {
    /// What it calls itself.
    pub name: String,
    /// Whose behaviour it has.
    pub compat: Compat,
    /// What it may change.
    pub mode: Mode,
}

/// What became of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It was as wanted already: kept, unchanged, in sync.
    Unchanged,
    /// It was made as wanted: repaired, changed.
    Changed,
    /// It is not as wanted: not kept, failed.
    Failed,
    /// The agent left it out: what it depends on failed, or its time has not come.
    Skipped,
}

/// What the agent made of an item: in one pass over a policy, in a transaction, or
/// at one visit of a vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Time since the session began, in microseconds.
    pub t: u64,
    /// Its type: promise type, resource type, kind.
    pub kind: Bytes,
    /// What identifies it, as far as that was resolved: promiser, title, name.
    pub identity: Bytes,
    /// Where the agent's input has it: file, line, and which of its iterations where a
    /// list is in it.
    pub place: String,
    /// What became of it.
    pub outcome: Fate,
    /// How often the agent had come to it, from 1: the pass, the transaction, the visit.
    pub turn: u32,
    /// A variable in it had no value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unresolved: bool,
    /// Nothing may be changed for it: it, or the run, asks for warnings alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warns: bool,
    /// The place of the item that caused this turn (a refresh), or that failed before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What the agent said at level `error` or above by itself, not for the subject.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Bytes>,
    /// Names that the agent defines since the subject's answers gave them, such as result
    /// classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defines: Vec<Bytes>,
}
