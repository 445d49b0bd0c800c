//! Names for the different defects that a rule reports.

use serde::Serialize;

/// A rule's name for one of its defects: `missing`, `other-mode`. Findings of one variant are one
/// defect, wherever they occur. The name stays the same if the message changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Variant(&'static str);

impl Variant {
    /// The variant of rules that report only one defect.
    pub const ONLY: Variant = Variant("");

    /// A variant with this name: lower case, with hyphens between words.
    pub const fn new(name: &'static str) -> Variant {
        Variant(name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Is it the variant without a name?
    pub fn is_only(&self) -> bool {
        *self == Variant::ONLY
    }

    /// A defect of this variant, described for the subject's author.
    pub fn says(self, message: impl Into<String>) -> Defect {
        Defect {
            variant: self,
            message: message.into(),
        }
    }
}

/// A defect and its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Which of the rule's defects it is.
    pub variant: Variant,
    /// What happened, in one line.
    pub message: String,
}

impl<S: Into<String>> From<S> for Defect {
    fn from(message: S) -> Defect {
        Variant::ONLY.says(message)
    }
}
