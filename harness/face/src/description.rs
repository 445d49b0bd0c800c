//! Reads `stickler.toml`. A mistake names the dialects that have a key which this one lacks.

use crate::dialects::Chosen;
use crate::failure::Failure;
use std::path::Path;
use stickler_suite::config::{self, Config, ConfigError};

/// The description in a file, with the keys of a dialect.
///
/// # Errors
/// If it cannot be read, or if something in it makes no sense.
pub fn read(chosen: &Chosen<'_>, file: &Path) -> Result<Config, Failure> {
    let read = config::from_file(file, chosen.face.vocabulary());
    read.map_err(|error| mistaken(chosen, error))
}

/// The same for another subject than that of the file, which need not be there.
///
/// # Errors
/// As [`read`].
pub fn for_another(chosen: &Chosen<'_>, file: &Path) -> Result<Config, Failure> {
    let read = config::for_another(file, chosen.face.vocabulary());
    read.map_err(|error| mistaken(chosen, error))
}

fn mistaken(chosen: &Chosen<'_>, error: ConfigError) -> Failure {
    let error = error.among(chosen.face.vocabulary(), &chosen.dialects.words());
    Failure::usage(error.to_string())
}
