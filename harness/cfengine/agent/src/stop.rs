//! Why a run ends early.

use std::fmt;

/// The exit code with which cf-agent gives up.
pub(crate) const ABORTED: i32 = 255;

/// Why evaluation can't continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// cf-agent would abort here.
    Fatal(String),
    /// The policy has unsupported constructs: their places and reasons, rendered.
    Refused(String),
    /// The policy is invalid.
    Policy(String),
    /// Other users could have changed the policy: the agent exits at once.
    Insecure(String),
    /// A limit of the reference agent is exceeded.
    Limit(String),
    /// The agent exits with this code.
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

/// The result of a step of evaluation.
pub(crate) type Step<T> = Result<T, Stop>;
