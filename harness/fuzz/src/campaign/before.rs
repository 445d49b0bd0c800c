//! What earlier runs of a campaign found: it is run again, so that it is known and not reported as new.

use crate::finding::Finding;
use crate::input::Input;
use serde::{Deserialize, Serialize};
use stickler_judge::Level;

/// A defect that an earlier run found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Before {
    /// The rule's code.
    pub rule: String,
    /// The level of the finding.
    pub level: Level,
    /// What makes it the same defect.
    pub signature: String,
    /// What happened.
    pub message: String,
    /// The input that shows it; without steps if several sessions show it, or if the agent sent the messages.
    pub input: Input,
}

impl From<&Finding> for Before {
    fn from(finding: &Finding) -> Before {
        Before {
            rule: finding.signature.rule.clone(),
            level: finding.level,
            signature: finding.signature.to_string(),
            message: finding.message.clone(),
            input: finding.input.clone(),
        }
    }
}

/// What became of a defect that an earlier run found.
#[derive(Clone, Copy, Debug)]
pub enum Recalled<'f> {
    /// It occurs again.
    Again(&'f Finding),
    /// It does not.
    Gone(&'f Before),
    /// No input shows it, or there was no time: it stays known.
    Open(&'f Before),
}
