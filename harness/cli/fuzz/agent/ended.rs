//! What came of a campaign on an agent.

use serde_json::Value;
use std::time::Duration;
use stickler_judge::{Exit, Reported};
use stickler_transcript::Transcript;

/// A defect, with the smallest situation that shows it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) rule: String,
    pub(super) signature: String,
    pub(super) outcome: Reported,
    pub(super) situation: Value,
    pub(super) transcripts: Vec<Transcript>,
    pub(super) at: Duration,
    pub(super) cases: u64,
}

/// How far a campaign is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Status {
    pub(super) time: Duration,
    pub(super) cases: u64,
    pub(super) requests: u64,
    pub(super) corpus: usize,
    pub(super) last_new: Duration,
    /// Branches of the agent that ran, if it tells them.
    pub(super) branches: Option<usize>,
    /// Defects that did not show a second time.
    pub(super) unstable: usize,
}

/// Why a campaign ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Limit,
    Finding,
    Interrupted,
}

/// What came of a campaign.
pub(super) struct Ended {
    pub(super) status: Status,
    pub(super) found: Vec<Found>,
    pub(super) samples: Vec<Status>,
    pub(super) end: End,
}

impl Ended {
    pub(super) fn exit(&self, strict: bool) -> Exit {
        match self.end {
            _ if self.found.iter().any(|one| one.outcome.fails(strict)) => Exit::Findings,
            _ if self.status.cases == 0 => Exit::NothingExercised,
            _ => Exit::Success,
        }
    }
}
