//! What can go wrong that is not the subject's doing.

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
    /// A plan names a command or process that it does not have.
    #[error("the plan is inconsistent: {0}")]
    Plan(String),
    /// A command of the author's (`setup`, a service) failed.
    #[error("{what} failed: {why}")]
    Command {
        /// The command line.
        what: String,
        /// Exit status and what it printed.
        why: String,
    },
    /// Somebody wanted it to end.
    #[error("the session was ended before it was done")]
    Stopped,
}
