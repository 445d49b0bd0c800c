//! The processes of a session, and what was seen beside the exchanges.

use stickler_transcript::{Bytes, Change, ExitCause};

/// One process of the subject.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// How and when it ended.
    pub exit: Option<(u64, ExitCause)>,
    /// The harness killed it.
    pub killed: bool,
    /// When standard input was closed by the harness.
    pub input_closed_at: Option<u64>,
    /// The subject closed its standard input.
    pub closed_input: bool,
    /// The subject closed its standard output before its end.
    pub closed_output_at: Option<u64>,
    /// The deadline for its end passed.
    pub outlived: bool,
    /// When it was started.
    pub started_at: u64,
    /// The number of the exchange from which on a message too many may have come, so that an
    /// answer may be an earlier message's.
    pub out_of_step: Option<usize>,
    /// News that nobody asked for, where the dialect has such.
    pub notifications: Vec<Notification>,
}

/// A message that is no answer.
#[derive(Clone, Debug)]
pub struct Notification {
    /// When it was whole.
    pub t: u64,
    /// The number of the exchange in which it came, if there was one.
    pub exchange: Option<usize>,
    /// Its bytes.
    pub message: Bytes,
}

/// A point at which effects were read.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The plan's name for it.
    pub point: String,
    /// Numbers of the exchanges since the observation before.
    pub exchanges: Vec<usize>,
    /// What changed since the observation before; what never counts is left out.
    pub changes: Vec<Change>,
}

/// Processes that outlived the subject.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// Their command lines.
    pub processes: Vec<String>,
    /// One still holds the protocol's standard output.
    pub holds_stdout: bool,
    /// One still holds the protocol's standard input.
    pub holds_stdin: bool,
}
