//! Why the suite did not run.

use stickler_session::SessionError;
use thiserror::Error;

/// Why the suite did not run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The module or its interpreter does not exist.
    #[error("{0}")]
    Subject(String),
    /// The description cannot be used with this subject; the message says what to do.
    #[error("{0}")]
    Description(String),
    /// A command from the author's configuration failed.
    #[error("{what} failed: {why}")]
    Command {
        /// Its command line.
        what: String,
        /// Its error output.
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
