//! Why two agents could not be compared.

use std::io;
use std::path::PathBuf;
use stickler_session::sandbox;

/// Two agents could not be compared. Messages fit after "failed: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The sandbox could not be had or used.
    #[error(transparent)]
    Sandbox(#[from] sandbox::Error),
    /// A system call failed.
    #[error("{what}: {source}")]
    System {
        /// What was done.
        what: &'static str,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// A stored file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A stored file does not hold what it should.
    #[error("{}: {message}", path.display())]
    Stored {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}
