//! Names for the different defects that a rule reports.

use serde::{Serialize, Serializer};

/// A rule's name for one of its defects: `missing`, `other-mode`. Findings of one variant are one
/// defect, wherever they occur. The name stays the same if the message changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variant {
    name: &'static str,
    title: Option<&'static str>,
}

impl Serialize for Variant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl Variant {
    /// The variant of rules that report only one defect.
    pub const ONLY: Variant = Variant::new("");

    /// A variant with this name: lower case, with hyphens between words.
    pub const fn new(name: &'static str) -> Variant {
        Variant { name, title: None }
    }

    /// The same with a title of its own, if the rule's title says too little about this defect. It
    /// says what is required, as the rule's title does.
    #[must_use]
    pub const fn titled(self, title: &'static str) -> Variant {
        Variant {
            title: Some(title),
            ..self
        }
    }

    /// Its own title.
    pub fn title(self) -> Option<&'static str> {
        self.title
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name
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
