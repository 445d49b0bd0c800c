//! Why two sides could not be compared.

use std::io;
use std::path::PathBuf;
use stickler_session::sandbox;

/// An error that prevents a comparison. Messages fit after "failed: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The sandbox could not be created or used.
    #[error(transparent)]
    Sandbox(#[from] sandbox::Error),
    /// A system call failed.
    #[error("{what}: {source}")]
    System {
        /// The operation.
        what: &'static str,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A stored file has invalid content.
    #[error("{}: {message}", path.display())]
    Stored {
        /// The file.
        path: PathBuf,
        /// The error.
        message: String,
    },
    /// The stored runs are not those that are asked for.
    #[error("{0}")]
    NotStored(String),
    /// Stickler does not support the input, so nothing is compared.
    #[error("{0}")]
    Unsupported(String),
    /// A side is not installed, or cannot be started.
    #[error("{0}")]
    NoSide(String),
    /// The user ended the run.
    #[error("interrupted")]
    Interrupted,
    /// A side did not come to its end.
    #[error("{0}")]
    Incomplete(String),
}
