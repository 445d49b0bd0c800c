//! Questions that only a real Ruby can answer.

use crate::unfollowed::Unfollowed;

/// Why something could not be decided here. Whoever has a Ruby at hand asks it instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{subject}: {reason}")]
pub struct Undecided {
    /// The pattern or the type that was asked.
    pub subject: String,
    /// What the difficulty is.
    pub reason: Reason,
}

/// What keeps a question from being decided here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The pattern cannot be compiled.
    #[error("{0}")]
    Pattern(Fault),
    /// The pattern takes too many steps.
    #[error("gave up: {0}")]
    GaveUp(String),
    /// A pattern meets a string that is not valid UTF-8, for which Ruby raises.
    #[error("the string is not valid UTF-8")]
    NotUtf8,
    /// The type compares objects of Ruby whose contents are unknown here.
    #[error("an object of class {0}")]
    Object(String),
    /// The type names an alias that cannot be followed.
    #[error("{0}")]
    Alias(Unfollowed),
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Ruby refuses it, with this message.
    #[error("{0}")]
    Invalid(String),
    /// Ruby may take it, but it cannot be tried here.
    #[error("{0}")]
    Unsupported(String),
}
