//! A message and its answer.

use crate::Gathered;
use stickler_transcript::{Bytes, Call, Change, ExitCause, Key, Name, Phase, Provenance, Silence};

/// The calls that change files, made by a process and its descendants while it answered a message.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    /// The number of calls.
    pub count: u32,
    /// Which call was made to fail, from 1.
    pub failed: Option<u32>,
    /// The failed call, or the call before which the process was killed.
    pub call: Option<Call>,
    /// Paths that only stand-ins for commands changed.
    pub foreign: Vec<Bytes>,
    /// Paths that only the process itself changed.
    pub own: Vec<Bytes>,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A complete message came.
    Answered,
    /// The process ended without answering.
    Exited(ExitCause),
    /// The process closed its standard output without answering, but still runs.
    ClosedOutput,
    /// Nothing came in time, or too much came.
    Silent(Silence),
    /// The harness killed the process on purpose.
    Killed,
    /// No answer was owed, and none came.
    NoAnswer,
}

impl Ended {
    /// Why there is no answer, in words; `whom` is the process.
    pub fn in_words(self, whom: &str) -> String {
        match self {
            Ended::Exited(ExitCause::Signal(_)) => {
                format!("(no answer: a signal ended {whom})")
            }
            Ended::Exited(_) => format!("(no answer: {whom} ended)"),
            Ended::Silent(_) => "(no answer in time)".to_owned(),
            Ended::Killed => "(killed)".to_owned(),
            _ => "(no answer)".to_owned(),
        }
    }
}

/// A message to the subject and its answer.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Number in the session, from 1.
    pub number: usize,
    /// The number of the process.
    pub process: usize,
    /// The kind of the message.
    pub phase: Phase,
    /// The key that names the exchange in a group.
    pub key: Key,
    /// The label of its item.
    pub item: Option<Name>,
    /// The index of that item in the case.
    pub item_at: Option<usize>,
    /// Who could send the message.
    pub provenance: Provenance,
    /// Must it be answered?
    pub owed: bool,
    /// The bytes of the message that were written to the subject's pipe.
    pub sent: Gathered,
    /// How many of them had been written when the answer was complete, if others followed.
    pub early: Option<usize>,
    /// All standard output from this message to the next one. The first message of a process also
    /// includes the output before it.
    pub output: Gathered,
    /// Length of the first message in `output`, including its end, if it is complete.
    pub message: Option<usize>,
    /// The times and lengths of the pieces of `output`.
    pub pieces: Vec<(u64, usize)>,
    /// When the message was written, microseconds since the session began.
    pub sent_at: u64,
    /// When the answer was complete.
    pub answered_at: Option<u64>,
    /// How it ended.
    pub ended: Ended,
    /// Did the answer come only after standard input was closed?
    pub late: bool,
    /// Standard error from this message to the next one.
    pub errors: Gathered,
    /// Standard output in this time, if the protocol has a separate channel.
    pub printed: Gathered,
    /// The effects, if there are observations right before and after this exchange.
    pub effects: Option<Vec<Change>>,
    /// Were there more effects than are recorded?
    pub truncated: bool,
    /// The calls that change files, if they were counted.
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

    /// The effects, unless there were more: for rules that compare effects, or that conclude
    /// something from the lack of one.
    pub fn all_effects(&self) -> Option<&[Change]> {
        self.effects.as_deref().filter(|_| !self.truncated)
    }

    /// Unrequested output after the answer.
    pub fn extra(&self) -> &[u8] {
        self.message.map_or(&[], |end| &self.output[end..])
    }

    /// Which call that changes files was made to fail, from 1.
    pub fn failed_write(&self) -> Option<u32> {
        self.writes.as_ref()?.failed
    }

    /// The failed call, or the call before which the process was killed.
    pub fn stopped_at(&self) -> Option<&Call> {
        self.writes.as_ref()?.call.as_ref()
    }

    /// How long the answer took, microseconds.
    pub fn took(&self) -> Option<u64> {
        Some(self.answered_at?.saturating_sub(self.sent_at))
    }
}
