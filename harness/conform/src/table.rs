//! What a dialect provides: situations, and an agent that plays them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;
use stickler_transcript::{Case, Transcript};

/// The situations of a dialect, and the agent under test.
pub trait Table: Sync {
    /// The agent as reports name it: `cf-agent 3.21.0`.
    fn agent(&self) -> String;

    /// The agent's version as it says, under which recordings note it.
    fn version(&self) -> &str;

    /// The rules that measured releases break, each with a situation.
    fn broken(&self) -> BTreeSet<(String, String)> {
        BTreeSet::new()
    }

    /// How many situations there are.
    fn len(&self) -> usize;

    /// Is there none?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of a situation, after its family: `header/normal-json`.
    fn name(&self, at: usize) -> &str;

    /// What a situation is about, in a sentence, if it says so.
    fn about(&self, at: usize) -> Option<&str>;

    /// The releases that were measured, from the oldest to the newest.
    fn releases(&self) -> Vec<String>;

    /// How many situations one run of the agent plays. More than one, if the agent takes long to start.
    fn batch(&self) -> usize {
        1
    }

    /// Does a situation only wait, so that it can run beside all others?
    fn waits(&self, _at: usize) -> bool {
        false
    }

    /// Plays situations, and returns for each what was seen, or why it could not be played here.
    ///
    /// # Errors
    ///
    /// If the agent can't be run at all.
    fn play(&self, batch: &[usize]) -> anyhow::Result<Vec<Result<Played, String>>>;

    /// How often a situation is played again that differs.
    fn tries(&self) -> usize {
        2
    }

    /// Where what was seen differs from what a release did. `None` if nothing was recorded of that release.
    ///
    /// # Errors
    ///
    /// If what was seen has another form.
    fn differences(
        &self,
        at: usize,
        seen: &Value,
        release: &str,
    ) -> anyhow::Result<Option<Vec<Difference>>>;

    /// The line of a situation without what was recorded, as reproducers keep it.
    fn line(&self, at: usize) -> Value;

    /// Notes what was seen as the recording of a version. Returns whether that changed the recording.
    /// `runs` are all times that the situation was played.
    ///
    /// # Errors
    ///
    /// If what was seen has another form.
    fn note(&mut self, at: usize, runs: &[&Value], version: &str) -> anyhow::Result<bool>;

    /// The whole table as the files that hold it: their names and contents.
    ///
    /// # Errors
    ///
    /// If they can't be written.
    fn files(&self) -> anyhow::Result<Vec<(String, Vec<u8>)>>;
}

/// What was seen of a situation.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// In the form of the recordings.
    pub seen: Value,
    /// The conversations with scripted subjects.
    pub sessions: Vec<Transcript>,
    /// What the agent printed.
    pub printed: String,
    /// What it left: processes, and changes outside its own folders.
    pub left: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

/// No machine is so busy that an agent which ends takes so long.
const HANGS: Duration = Duration::from_secs(15);

impl Played {
    /// Did it take so long that the agent did not end by itself, or only waited?
    pub fn hangs(&self) -> bool {
        self.took >= HANGS
    }
}

/// Where the agent differs from a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs: `exit`, `classes`.
    pub what: String,
    /// What the release did.
    pub expected: String,
    /// What the agent did.
    pub got: String,
    /// How much it says.
    pub weight: Weight,
}

/// How much a difference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The release crashes or waits without end there, and the agent does not. It is no finding.
    Better,
    /// The agent's own messages differ.
    Wording,
    /// Modules or users get something else.
    Outcome,
}

/// The fact of a case that makes a transcript a reproducer of a situation.
pub const REPRODUCED: &str = "conform";

/// What is needed to play a situation again: in the facts of each conversation, as [`REPRODUCED`].
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Stored {
    /// The command line of the agent.
    pub agent: Vec<String>,
    /// The situation's line, without what was recorded.
    pub situation: Value,
    /// The release that the agent behaved as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
}

impl Stored {
    /// What a case holds, if it is of a situation.
    pub fn of(case: &Case) -> Option<Stored> {
        let fact = case.facts.get(REPRODUCED)?;
        serde_json::from_value(fact.clone()).ok()
    }

    /// Adds it to a case.
    pub fn note(&self, case: &mut Case) {
        if let Ok(fact) = serde_json::to_value(self) {
            case.facts.insert(REPRODUCED.to_owned(), fact);
        }
    }
}
