//! What the reference agent does in a session, as the plan holds it.

use serde::{Deserialize, Serialize};
use stickler_suite::{CaseBuilder, Instance};
use stickler_transcript::{Bytes, Case, Mode, Name, Value};

/// What the agent is given.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Program {
    /// What the agent may change.
    pub mode: Mode,
    /// Whose behaviour it has.
    pub compat: String,
    pub policy: Bytes,
    /// How often it runs.
    pub runs: usize,
    /// The promises that its requests may be about.
    pub promises: Vec<Known>,
}

/// A promise that requests are recognized by.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Known {
    pub label: Name,
    pub kind: String,
    pub promiser: Bytes,
    pub attributes: Vec<(Bytes, Value)>,
}

impl From<&Instance> for Known {
    fn from(instance: &Instance) -> Self {
        let attributes = instance.attributes.iter();
        Known {
            label: instance.info.label.clone(),
            kind: instance.kind.clone(),
            promiser: instance.name().into(),
            attributes: attributes
                .map(|(name, value)| (name[..].into(), value.clone()))
                .collect(),
        }
    }
}

impl Program {
    /// The session in which the agent takes over after the steps so far.
    pub fn after(&self, case: &mut CaseBuilder<'_>) -> Case {
        case.driven(self.mode, &self.compat).hand_over(self);
        case.build()
    }
}
