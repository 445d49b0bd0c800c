//! What a campaign is given, and what it gives.

use super::before::Before;
use crate::coverage::Coverage;
use crate::finding::Finding;
use crate::series::Sample;
use crate::status::Status;
use crate::unreached::Unreached;
use crate::yields::Yield;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stickler_judge::Rule;
use stickler_suite::{Bench, Harvest, RunSettings};

/// How often a campaign looks at the time.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// When a campaign ends. Without a limit, only the user ends it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// After this time.
    pub time: Option<Duration>,
    /// After so many inputs.
    pub cases: Option<u64>,
    /// Once a defect is confirmed that fails the run.
    pub until_finding: bool,
    /// Once the inputs of the corpus have run.
    pub replay_only: bool,
}

/// What is fuzzed, and how.
pub struct Setup<'c> {
    /// What its sessions are held with.
    pub bench: Bench<'c>,
    /// How its first sessions run.
    pub settings: &'c RunSettings,
    /// The rules that judge.
    pub rules: &'c [&'static Rule],
    /// The folder of the corpus.
    pub corpus: &'c Path,
    /// Source text of the subject, for words that it knows.
    pub sources: &'c [Vec<u8>],
    /// What a look at the subject gave, if there is no example.
    pub harvest: Option<&'c Harvest>,
    /// Has the subject tell which lines it runs.
    pub coverage: Option<&'c Coverage>,
    /// Did the user ask for that? Then a campaign that is told nothing tests nothing.
    pub wants_coverage: bool,
    /// What earlier runs of the campaign found.
    pub before: &'c [Before],
    /// How many earlier runs there were: each run takes another way.
    pub run: u64,
    /// The files of its command line.
    pub files: &'c [PathBuf],
    /// When to end.
    pub limits: Limits,
    /// Do findings of level `should` fail the run too?
    pub strict: bool,
}

/// Why a campaign ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A limit was reached.
    Limit,
    /// A defect was found, and that was the limit.
    Finding,
    /// The corpus has run.
    Replayed,
    /// The user ended it.
    Interrupted,
    /// It could not test anything; the text says why.
    Empty(String),
}

/// The result of a campaign.
#[derive(Debug)]
pub struct CampaignOutcome {
    /// The confirmed defects, in the order of their discovery.
    pub findings: Vec<Finding>,
    /// The counters at the end.
    pub status: Status,
    /// How it went.
    pub series: Vec<Sample>,
    /// What each technique brought, in the order of their list.
    pub yields: Vec<Yield>,
    /// Why it ended.
    pub ended: Ended,
    /// The names of all inputs that showed something new.
    pub corpus: Vec<String>,
    /// What it never reached; empty if it only ran a corpus.
    pub unreached: Vec<Unreached>,
    /// What could not be read or written.
    pub troubles: Vec<String>,
}
