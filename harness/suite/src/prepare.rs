//! Preparing a subject before its first session.

use crate::config::Config;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What a dialect uses while it prepares a subject. That may take long: a compiler may run.
#[derive(Clone, Copy)]
pub struct Preparing<'p> {
    /// Shows the user what happens now, in a few words.
    pub say: &'p dyn Fn(&str),
    /// Set when the user ends the run. Preparing then ends soon, with an error.
    pub stop: &'p AtomicBool,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Preparing<'static> {
    /// Shows nothing, and is never ended.
    pub fn quietly() -> Self {
        Preparing {
            say: &|_| {},
            stop: &NEVER,
        }
    }
}

/// The folders of the subject's code and of its description.
pub(crate) fn sources(config: &Config) -> Vec<PathBuf> {
    let path = config.subject.path.as_ref();
    let path = path.map(|path| config.dir.join(path));
    let described = config.file.clone();
    let folder = |path: PathBuf| match path.is_dir() {
        true => path,
        false => match path.parent() {
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            _ => PathBuf::from("."),
        },
    };
    path.into_iter().chain(described).map(folder).collect()
}
