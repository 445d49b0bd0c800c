//! Errors that the subject does not cause.

use crate::sandbox;
use thiserror::Error;

/// A session could not be run.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The sandbox could not be made.
    #[error(transparent)]
    Sandbox(#[from] sandbox::Error),
    /// A pipe could not be made or used.
    #[error("making a pipe to the subject")]
    Pipe(#[source] rustix::io::Errno),
    /// A plan refers to a command or process that it does not define.
    #[error("the plan is inconsistent: {0}")]
    Plan(String),
    /// A command from the author's configuration (`setup`, a service) failed.
    #[error("{what} failed: {why}")]
    Command {
        /// The command line.
        what: String,
        /// Its exit status and output.
        why: String,
    },
    /// The user ended the session.
    #[error("the session was ended before it was done")]
    Stopped,
}
