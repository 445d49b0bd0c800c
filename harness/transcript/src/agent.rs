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

/// What became of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It held already.
    Kept,
    /// It was made to hold.
    Repaired,
    /// It does not hold.
    NotKept,
}

/// What the agent made of a promise in one pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Time since the session began, in microseconds.
    pub t: u64,
    /// The promise's type.
    pub promise_type: Bytes,
    /// Its promiser, as far as it was resolved.
    pub promiser: Bytes,
    /// Names the promise in the policy: file, line, and which of its iterations
    /// where a list is in it.
    pub promise: String,
    /// What became of it.
    pub outcome: Fate,
    /// Which pass it was, from 1.
    pub pass: u8,
    /// A variable in it had no value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unresolved: bool,
    /// It may only warn: its `action_policy`, or the mode of the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warns: bool,
    /// What the agent said at level `error` or above by itself, not for the
    /// module.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Bytes>,
    /// Classes that it set since the module's answers named them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub result_classes: Vec<Bytes>,
}
