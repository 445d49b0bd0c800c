//! A message and what came back.

use crate::Gathered;
use stickler_transcript::{Bytes, Call, Change, ExitCause, Name, Phase, Provenance, Silence};

/// The calls that change files, by a process or what it started, while a message was answered.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    /// How many there were.
    pub count: u32,
    /// The one that was made to fail, from 1.
    pub failed: Option<u32>,
    /// What is known of that one, or of the one that the process was killed before.
    pub call: Option<Call>,
    /// Paths that stand-ins for commands changed, and nobody else.
    pub foreign: Vec<Bytes>,
    /// Paths that the process itself changed, with no other program.
    pub own: Vec<Bytes>,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A whole message came.
    Answered,
    /// The process ended without answering.
    Exited(ExitCause),
    /// The process closed its standard output without answering, and lives on.
    ClosedOutput,
    /// Nothing came in time, or too much.
    Silent(Silence),
    /// The harness killed the process on purpose.
    Killed,
    /// No answer was owed, and none came.
    NoAnswer,
}

/// A message to the subject and what came back.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Number in the session, from 1.
    pub number: usize,
    /// Which process.
    pub process: usize,
    /// Kind of the message.
    pub phase: Phase,
    /// Names the exchange within a group.
    pub key: Name,
    /// Label of the item that it is about.
    pub item: Option<Name>,
    /// Where the case has that item, among its items.
    pub item_at: Option<usize>,
    /// Who could send the message.
    pub provenance: Provenance,
    /// Must it be answered?
    pub owed: bool,
    /// The message's bytes that the subject's pipe took.
    pub sent: Gathered,
    /// All of standard output from this message up to the next one. For the first message of a
    /// process, what was printed before it too.
    pub output: Gathered,
    /// Length of the first message in `output`, its end included, if it is whole.
    pub message: Option<usize>,
    /// Times and lengths of the pieces of `output`.
    pub pieces: Vec<(u64, usize)>,
    /// When the message was written, microseconds since the session began.
    pub sent_at: u64,
    /// When the answer was whole.
    pub answered_at: Option<u64>,
    /// How it ended.
    pub ended: Ended,
    /// The answer came only after standard input had been closed.
    pub late: bool,
    /// Standard error from this message up to the next one.
    pub errors: Gathered,
    /// Standard output meanwhile, where the protocol has a channel of its own.
    pub printed: Gathered,
    /// Effects, where observations stand right before and after this exchange.
    pub effects: Option<Vec<Change>>,
    /// The calls that change files, where they were counted.
    pub writes: Option<Box<Writes>>,
}

impl Exchange {
    /// Did the subject neither answer nor end?
    pub fn is_quiet(&self) -> bool {
        matches!(
            self.ended,
            Ended::Silent(Silence::Deadline | Silence::Input)
        )
    }

    /// What followed the answer without being asked for.
    pub fn extra(&self) -> &[u8] {
        self.message.map_or(&[], |end| &self.output[end..])
    }

    /// The call that changes files that was made to fail, from 1.
    pub fn failed_write(&self) -> Option<u32> {
        self.writes.as_ref()?.failed
    }

    /// What is known of that call, or of the one that the process was killed before.
    pub fn stopped_at(&self) -> Option<&Call> {
        self.writes.as_ref()?.call.as_ref()
    }

    /// How long the answer took, microseconds.
    pub fn took(&self) -> Option<u64> {
        Some(self.answered_at?.saturating_sub(self.sent_at))
    }
}
