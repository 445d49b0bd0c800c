//! The stages of a comparison, and what a subject claims and does in one.

use super::left::Left;
use serde::Serialize;
use stickler_transcript::{Bytes, Fate};

/// A stage of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonStage {
    /// The subject brings the intent about.
    Creation,
    /// It is asked again.
    SecondRun,
    /// It is asked once the result was spoilt from outside.
    Drift,
    /// It only says what it would change.
    Noop,
}

impl ComparisonStage {
    /// All stages, in their order.
    pub const ALL: [ComparisonStage; 4] = [
        ComparisonStage::Creation,
        ComparisonStage::SecondRun,
        ComparisonStage::Drift,
        ComparisonStage::Noop,
    ];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            ComparisonStage::Creation => "creation",
            ComparisonStage::SecondRun => "second run",
            ComparisonStage::Drift => "drift",
            ComparisonStage::Noop => "noop",
        }
    }

    /// What sound subjects usually claim.
    pub(super) fn usual(self) -> Answer {
        match self {
            ComparisonStage::SecondRun => Answer::InSync,
            ComparisonStage::Creation | ComparisonStage::Drift | ComparisonStage::Noop => {
                Answer::Changed
            }
        }
    }
}

/// What a subject claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It changed something; under noop, it would.
    Changed,
    /// There was nothing to change.
    InSync,
    /// It failed.
    Failed,
    /// It refuses the item.
    Refused,
    /// It claims nothing.
    None,
}

impl Answer {
    pub(super) fn of(fate: Option<Fate>) -> Answer {
        match fate {
            Some(Fate::Changed) => Answer::Changed,
            Some(Fate::Unchanged) => Answer::InSync,
            Some(Fate::Failed) => Answer::Failed,
            Some(Fate::Refused) => Answer::Refused,
            Some(Fate::Skipped) | None => Answer::None,
        }
    }

    /// In a word or two.
    pub fn word(self, stage: ComparisonStage) -> &'static str {
        match self {
            Answer::Changed if stage == ComparisonStage::Noop => "would change",
            Answer::Changed => "changed",
            Answer::InSync => "in sync",
            Answer::Failed => "failed",
            Answer::Refused => "refused",
            Answer::None => "no claim",
        }
    }
}

/// What a subject claims and does in a stage.
#[derive(Clone, Debug)]
pub struct Round {
    /// The stage.
    pub stage: ComparisonStage,
    /// What it claims.
    pub claim: Answer,
    /// Why it claims nothing, or how it failed.
    pub why: Option<String>,
    /// What differs at the end from the state before the session.
    pub left: Left,
    /// What differs at the end of the stage from its beginning.
    pub did: Left,
    /// What is not as the author declared, by path.
    pub undeclared: Vec<(Bytes, String)>,
    /// The session up to here, as text.
    pub conversation: String,
}
