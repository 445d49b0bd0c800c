//! What was seen of an agent's run, as far as it can be compared.

use serde::{Deserialize, Serialize};
use stickler_transcript::Bytes;

/// What one process of a module was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The module's file.
    pub module: String,
    /// All that it was sent.
    pub bytes: Bytes,
}

/// A run, without what differs from run to run (see [`crate::normal`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// How it ended, in words.
    pub exit: String,
    /// It did not end in time, and was ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hung: bool,
    /// The policy was rejected: nothing of it was run, and what is printed then
    /// is the agent's own affair.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rejected: bool,
    /// The policy asks for what the reference agent does not do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// Reports and log lines, in their order.
    pub output: Vec<String>,
    /// Lines of standard error, those of modules too.
    pub errors: Vec<String>,
    /// Classes at the end, but for hard ones.
    pub classes: Vec<String>,
    /// What modules were sent, by process; nothing where no recorder could be put
    /// in their places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Vec<Sent>>,
    /// Changes of files outside the work directory.
    pub effects: Vec<String>,
}
