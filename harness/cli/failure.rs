//! Why a command could not do its work, and the exit code for it.

use stickler_judge::Exit;
use stickler_suite::RunError;

/// A command that could not do its work.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What to say: what is wrong, and what to do.
    pub message: String,
}

/// What commands return.
pub type Done = Result<Exit, Failure>;

impl Failure {
    /// Wrong usage or configuration.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure {
            exit: Exit::Usage,
            message: message.into(),
        }
    }

    /// The harness itself failed.
    pub fn harness(message: impl Into<String>) -> Failure {
        Failure {
            exit: Exit::Harness,
            message: message.into(),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        let exit = match &error {
            RunError::Subject(_) => Exit::NoSession,
            RunError::Command { .. } => Exit::Usage,
            RunError::Session(_) => Exit::Harness,
        };
        Failure {
            exit,
            message: chain(&error),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::harness(format!("{error:#}"))
    }
}

/// An error with its causes.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text.push_str(": ");
        text.push_str(&next.to_string());
        cause = next.source();
    }
    text
}
