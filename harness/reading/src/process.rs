//! The processes of a session, and observations outside the exchanges.

use stickler_transcript::{Bytes, Change, ExitCause};

/// One process of the subject.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// How and when it ended.
    pub exit: Option<(u64, ExitCause)>,
    /// Did the harness kill it?
    pub killed: bool,
    /// When the harness closed its standard input.
    pub input_closed_at: Option<u64>,
    /// Did the subject close its standard input?
    pub closed_input: bool,
    /// When the subject closed its standard output before its end.
    pub closed_output_at: Option<u64>,
    /// Did it miss the deadline for its end?
    pub outlived: bool,
    /// When it was started.
    pub started_at: u64,
    /// The number of the first exchange whose answer may belong to an earlier message, because an
    /// extra message may have come.
    pub out_of_step: Option<usize>,
    /// Notifications, if the dialect has them.
    pub notifications: Vec<Notification>,
}

/// A message that is no answer.
#[derive(Clone, Debug)]
pub struct Notification {
    /// When it was complete.
    pub t: u64,
    /// The number of the exchange during which it came, if any.
    pub exchange: Option<usize>,
    /// Its bytes.
    pub message: Bytes,
}

/// A point at which effects were recorded.
#[derive(Clone, Debug)]
pub struct Observation {
    /// Its name in the plan.
    pub point: String,
    /// The numbers of the exchanges since the previous observation.
    pub exchanges: Vec<usize>,
    /// The changes since the previous observation, without those that never count.
    pub changes: Vec<Change>,
    /// Were there more changes than are recorded?
    pub truncated: bool,
}

/// Processes that outlived the subject.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// Their command lines.
    pub processes: Vec<String>,
    /// Does one of them still hold the protocol's standard output?
    pub holds_stdout: bool,
    /// Does one of them still hold the protocol's standard input?
    pub holds_stdin: bool,
}
