//! Reads `stickler.toml`. A mistake names the dialects that have a key which this one lacks.

use crate::dialects::Dialects;
use crate::failure::Failure;
use std::path::Path;
use stickler_suite::Vocabulary;
use stickler_suite::config::{self, Config, ConfigError};

/// The description in a file, with the keys of a dialect.
///
/// # Errors
/// If it cannot be read, or if something in it makes no sense.
pub fn read(dialects: &Dialects, file: &Path, words: &Vocabulary) -> Result<Config, Failure> {
    config::from_file(file, words).map_err(|error| mistaken(dialects, error, words))
}

/// The same for another subject than that of the file, which need not be there.
///
/// # Errors
/// As [`read`].
pub fn for_another(
    dialects: &Dialects,
    file: &Path,
    words: &Vocabulary,
) -> Result<Config, Failure> {
    config::for_another(file, words).map_err(|error| mistaken(dialects, error, words))
}

fn mistaken(dialects: &Dialects, error: ConfigError, words: &Vocabulary) -> Failure {
    Failure::usage(error.among(words, &dialects.words()).to_string())
}
