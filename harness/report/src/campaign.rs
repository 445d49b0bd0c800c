//! A fuzz campaign, as its web page shows it.

use stickler_judge::{Exit, Pages, Reported};

/// A campaign that is over.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Name of the subject.
    pub subject: String,
    /// The path of the subject, if it is known.
    pub location: String,
    /// The command line that starts the subject.
    pub command: String,
    /// Facts about the subject and the campaign, in a few words each.
    pub facts: Vec<String>,
    /// The answer in one sentence.
    pub verdict: String,
    /// The exit code.
    pub exit: Exit,
    /// Does a `should` fail the campaign too?
    pub strict: bool,
    /// When it began.
    pub began: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The seed, unless nothing was made up.
    pub seed: Option<u64>,
    /// Why it ended, what was followed, what went wrong: sentences.
    pub remarks: Vec<String>,
    /// The manual pages of its rules.
    pub pages: Pages,
    /// The confirmed defects, in the order of their discovery.
    pub defects: Vec<Defect>,
    /// Names and values of counters.
    pub counters: Vec<(String, String)>,
    /// How it went, in order.
    pub samples: Vec<Sample>,
    /// What each technique brought, in the order in which the page shows them.
    pub yields: Vec<Yield>,
    /// What was never reached.
    pub unreached: Vec<Gap>,
    /// Which lines ran.
    pub sources: Sources,
}

/// Something that a campaign never reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// What it is.
    pub what: String,
    /// Why, with evidence.
    pub hint: Option<String>,
}

/// What a technique brought: a way to make sessions.
#[derive(Clone, Debug, PartialEq)]
pub struct Yield {
    /// Its name.
    pub name: String,
    /// What it does.
    pub sentence: String,
    /// How many of its sessions were held.
    pub tried: u64,
    /// How many marks they were the first to show.
    pub marks: u64,
    /// How many of them joined the corpus.
    pub corpus: u64,
    /// How many new defects they showed.
    pub findings: u64,
    /// How long they took, in seconds.
    pub seconds: f64,
}

/// A confirmed defect.
#[derive(Clone, Debug, PartialEq)]
pub struct Defect {
    /// The rule's outcome on the smallest session.
    pub outcome: Reported,
    /// After how many seconds it was found.
    pub at: f64,
    /// How many sessions were held before.
    pub cases: u64,
    /// In how many of how many fresh processes it showed.
    pub shown: (u32, u32),
    /// Did an earlier run of the campaign find it?
    pub again: bool,
}

/// How far a campaign was at a moment. All numbers are totals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// When, in seconds since the campaign began.
    pub at: f64,
    /// How many messages were sent.
    pub requests: u64,
    /// How many sessions the corpus had.
    pub corpus: usize,
    /// How many forms of answers were seen.
    pub answers: usize,
    /// How many pairs of lines were seen, if the subject tells.
    pub lines: Option<usize>,
}

/// Which lines of the subject ran.
#[derive(Clone, Debug, PartialEq)]
pub enum Sources {
    /// Nobody knows; the sentence says why.
    Unknown(String),
    /// These files, and how the lines are known.
    Known(String, Vec<SourceFile>),
}

/// A file of the subject.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    /// Its path, as seen from the subject's folder.
    pub name: String,
    /// What the reader should know about it.
    pub remark: Option<String>,
    /// Its lines.
    pub lines: Vec<(Reach, String)>,
}

/// What is known about a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It ran.
    Reached,
    /// It did not run.
    Missed,
    /// Nothing on it can run.
    NoCode,
}
