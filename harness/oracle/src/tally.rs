//! Results of runs, and their sums.

use serde::Serialize;

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    /// Both sides show the same.
    Agree,
    /// Neither side accepts the input.
    Rejected,
    /// Stickler does not support the input.
    Unsupported,
    /// Only listed differences.
    Known,
    /// A difference that is not listed.
    Differ,
}

/// The number of runs by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Both sides show the same.
    pub agree: u64,
    /// Neither side accepts the input.
    pub rejected: u64,
    /// Stickler does not support the input.
    pub unsupported: u64,
    /// Only listed differences.
    pub known: u64,
    /// Differences that are not listed.
    pub differ: u64,
}

impl Tally {
    /// Counts a result.
    pub fn add(&mut self, verdict: RunVerdict) {
        *match verdict {
            RunVerdict::Agree => &mut self.agree,
            RunVerdict::Rejected => &mut self.rejected,
            RunVerdict::Unsupported => &mut self.unsupported,
            RunVerdict::Known => &mut self.known,
            RunVerdict::Differ => &mut self.differ,
        } += 1;
    }

    /// The number of all runs.
    pub fn runs(&self) -> u64 {
        self.agree + self.rejected + self.unsupported + self.known + self.differ
    }
}
