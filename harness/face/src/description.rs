//! Reads `stickler.toml`. A mistake names the dialects that have a key which this one lacks.

use crate::dialects::{CONFIG, Chosen};
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

/// The description of the subject in a folder: a file that is named, or else its own, if it has one.
///
/// # Errors
/// As [`read`].
pub fn of_folder(
    chosen: &Chosen<'_>,
    folder: &Path,
    named: Option<&Path>,
) -> Result<Config, Failure> {
    let own = folder.join(CONFIG);
    match named.or(Some(&own).filter(|file| file.is_file()).map(|own| &**own)) {
        Some(file) => read(chosen, file),
        None => Ok(Config {
            dir: folder.to_owned(),
            ..Config::default()
        }),
    }
}

/// The environment of a subject outside sessions: there is no folder of a session, so what lies in it stays as the
/// caller has it.
pub fn env(config: &Config) -> Vec<(String, String)> {
    let env = config.subject.env.iter();
    let lasting = env.filter(|(_, value)| !value.contains("{dir}"));
    lasting.cloned().collect()
}

fn mistaken(chosen: &Chosen<'_>, error: ConfigError) -> Failure {
    let error = error.among(chosen.face.vocabulary(), &chosen.dialects.words());
    Failure::usage(error.to_string())
}
