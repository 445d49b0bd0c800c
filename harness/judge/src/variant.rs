//! Which of a rule's defects a finding shows.

use serde::Serialize;

/// A rule's name for one of its defects: `missing`, `other-mode`. Findings of one variant are
/// one defect, wherever they show; the name stays the same when the message is reworded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Variant(&'static str);

impl Variant {
    /// The variant of rules that can be broken in one way alone.
    pub const ONLY: Variant = Variant("");

    /// A variant of this name: lower case, words with hyphens between them.
    pub const fn new(name: &'static str) -> Variant {
        Variant(name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Is it the one that needs no name?
    pub fn is_only(&self) -> bool {
        *self == Variant::ONLY
    }

    /// A defect of this variant, in words for the subject's author.
    pub fn says(self, message: impl Into<String>) -> Defect {
        Defect {
            variant: self,
            message: message.into(),
        }
    }
}

/// What is wrong, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Which of the rule's defects it is.
    pub variant: Variant,
    /// What happened, one line.
    pub message: String,
}

impl<S: Into<String>> From<S> for Defect {
    fn from(message: S) -> Defect {
        Variant::ONLY.says(message)
    }
}
