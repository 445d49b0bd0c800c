//! Why a run ends before its time.

use std::fmt;

/// Why evaluation cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The agent itself would give up here.
    Fatal(String),
    /// The policy holds what the reference agent does not do: places and
    /// reasons, rendered.
    Refused(String),
    /// The policy is none.
    Policy(String),
    /// Others could have changed the policy: the agent ends at once.
    Insecure(String),
    /// A limit of ours was passed.
    Limit(String),
    /// A program asked for the end.
    Exit(i32),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fatal(text)
            | Self::Refused(text)
            | Self::Policy(text)
            | Self::Insecure(text)
            | Self::Limit(text) => f.write_str(text),
            Self::Exit(code) => write!(f, "exit {code}"),
        }
    }
}

impl std::error::Error for Stop {}

/// The outcome of a step of evaluation.
pub(crate) type Step<T> = Result<T, Stop>;
