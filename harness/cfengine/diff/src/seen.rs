//! The comparable results of an agent's run.

use serde::{Deserialize, Serialize};
use stickler_transcript::Bytes;

/// The input of one process of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The module's file.
    pub module: String,
    /// All bytes that it was sent.
    pub bytes: Bytes,
}

/// A run, without what varies from run to run (see [`crate::normal`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// How it ended, in words.
    pub exit: String,
    /// Whether the run did not end in time, and was killed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hung: bool,
    /// Whether the policy was rejected: it did not run, and the output is not comparable.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rejected: bool,
    /// Whether the policy has constructs that the reference agent does not support.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// Reports and log lines, in order.
    pub output: Vec<String>,
    /// The lines of stderr, including those of modules.
    pub errors: Vec<String>,
    /// The soft classes at the end.
    pub classes: Vec<String>,
    /// The requests to modules, by process; `None` if recorders could not replace the modules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Vec<Sent>>,
    /// Changes to files outside the work directory.
    pub effects: Vec<String>,
}
