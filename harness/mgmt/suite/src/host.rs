//! How hosts are found and built.

use crate::keys::{INIT, OVERLAY, TAGS};
use crate::vocabulary::VOCABULARY;
use mgmt_host::{NAME, Options, build, options_of};
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use stickler_suite::config::{self, Config};
use stickler_suite::{Preparing, RunError};
use stickler_transcript::Bytes;

/// Why a folder is a Go package with resources, if it is: a Go file there registers one.
pub(crate) fn claims(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    names.sort();
    let registers = |path: &&PathBuf| {
        path.extension().is_some_and(|end| end == "go")
            && std::fs::read_to_string(path).is_ok_and(|text| text.contains(".RegisterResource("))
    };
    let file = names.iter().find(registers)?;
    let name = file.file_name()?.to_string_lossy();
    Some(format!("{name} calls RegisterResource"))
}

/// The folder of the package that a description names.
pub(crate) fn folder(config: &Config) -> PathBuf {
    let path = config.subject.path.as_deref().unwrap_or(Path::new("."));
    config.dir.join(path)
}

/// The files that the build takes for others: paths in the package, and files to read.
fn overlay(config: &Config) -> Vec<(PathBuf, PathBuf)> {
    let pairs = config.subject.own.commands(OVERLAY).iter();
    let pairs = pairs.filter_map(|pair| match pair.as_slice() {
        [path, file] => Some((PathBuf::from(path), config.dir.join(file))),
        _ => None,
    });
    // Go resolves them from another folder.
    pairs
        .map(|(path, file)| (path, std::path::absolute(&file).unwrap_or(file)))
        .collect()
}

/// Where a description keeps whether the race detector is built in.
const RACE: &str = "race";

/// Builds hosts with the race detector.
pub fn detect_races(config: &mut Config) {
    config.subject.own.set(RACE, true);
}

/// Is the race detector built in?
pub(crate) fn has_race(config: &Config) -> bool {
    config.subject.own.truth(RACE)
}

/// Where a description keeps whether mgmt's own engine is built in.
const ENGINE: &str = "engine";

/// Builds hosts with mgmt's own engine.
pub fn with_engine(config: &mut Config) {
    config.subject.own.set(ENGINE, true);
}

/// Is mgmt's own engine built in?
pub(crate) fn has_engine(config: &Config) -> bool {
    config.subject.own.truth(ENGINE)
}

/// Builds the host, and returns its command line: the program, and the folder of the package, for people.
///
/// # Errors
/// If it cannot be built; the message says what to do.
pub(crate) fn command_line(
    config: &Config,
    preparing: &Preparing<'_>,
) -> Result<Vec<Bytes>, RunError> {
    made(&folder(config), &options(config), preparing)
}

/// How a description says that the host is built.
fn options(config: &Config) -> Options {
    Options {
        tags: config.subject.own.texts(TAGS).to_vec(),
        overlay: overlay(config),
        race: has_race(config),
        engine: has_engine(config),
        init: config.subject.own.texts(INIT).first().cloned(),
    }
}

fn made(
    folder: &Path,
    options: &Options,
    preparing: &Preparing<'_>,
) -> Result<Vec<Bytes>, RunError> {
    (preparing.say)("builds the host");
    let host = build(folder, options, preparing.say)
        .map_err(|error| RunError::Subject(error.to_string()))?;
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let words = [host, folder].map(PathBuf::into_os_string);
    Ok(words.map(|word| word.into_vec().into()).into())
}

/// Builds the host of a stored command line again: its package may have changed since, or be in another folder.
///
/// # Errors
/// If it cannot be built; the message says what to do.
pub(crate) fn renewed(
    argv: &[Bytes],
    preparing: &Preparing<'_>,
) -> Result<Option<Vec<Bytes>>, RunError> {
    let path = |word: &Bytes| PathBuf::from(OsStr::from_bytes(word));
    let [host, folder] = argv else {
        return Ok(None);
    };
    let (host, folder) = (path(host), path(folder));
    if !is_host(argv) || !folder.is_dir() {
        return Ok(None);
    }
    let described = || {
        let file = folder.join("stickler.toml");
        let config = config::from_file(&file, &VOCABULARY).ok();
        config.map(|config| options(&config)).unwrap_or_default()
    };
    let options = options_of(&host, &folder).unwrap_or_else(described);
    made(&folder, &options, preparing).map(Some)
}

/// Does a command line start a host for a folder?
pub fn is_host(argv: &[Bytes]) -> bool {
    matches!(argv, [host, _] if host.ends_with(NAME.as_bytes()))
}
