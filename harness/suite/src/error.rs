//! Why there was no run.

use stickler_session::SessionError;
use thiserror::Error;

/// Why there was no run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The module or its interpreter is not there.
    #[error("{0}")]
    Subject(String),
    /// A command of the author's failed.
    #[error("{what} failed: {why}")]
    Command {
        /// Its command line.
        what: String,
        /// What it said.
        why: String,
    },
    /// The harness itself failed.
    #[error(transparent)]
    Session(SessionError),
}

impl From<SessionError> for RunError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Command { what, why } => RunError::Command { what, why },
            other => RunError::Session(other),
        }
    }
}
