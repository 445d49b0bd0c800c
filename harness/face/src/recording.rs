//! Recordings that commands make of the hosts that they start.

use crate::failure::Failure;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Why a recording could not begin.
pub fn unbegun(file: &Path, error: &io::Error) -> Failure {
    let advice = match error.kind() {
        ErrorKind::AlreadyExists => "; name a new file",
        _ => "",
    };
    Failure::usage(format!("{}: {error}{advice}", file.display()))
}

/// Says that a recording lacks something, if it could not be written.
///
/// # Errors
/// If it could not be written.
pub fn finished(written: io::Result<()>) -> Result<(), Failure> {
    written
        .map_err(|error| Failure::harness(format!("the recording could not be written: {error}")))
}
