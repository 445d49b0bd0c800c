//! What `stickler conform` gives a dialect.

use crate::failure::{Failure, chain};
use crate::missing::missing;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use stickler_conform::{Situations, Table, kept, lines};
use stickler_judge::Exit;
use stickler_session::sandbox::Host;

/// What is asked of a dialect.
pub struct Conforming<'c> {
    /// The command line of the agent under test.
    pub command: &'c [OsString],
    /// Where it runs.
    pub host: &'c Host,
    /// Situations that the user adds: the name of a file, and its text.
    pub more: &'c [(String, String)],
    /// Only these situations, instead of the dialect's own.
    pub only: Option<&'c [Value]>,
    /// Once it is set, agents that can be ended are ended, and what they play fails.
    pub stop: Arc<AtomicBool>,
}

/// The situations that are asked for, with the agent that plays them.
///
/// # Errors
/// If the agent cannot be run, or a situation cannot be read.
pub fn table<S: Situations>(asked: &Conforming<'_>) -> Result<Box<dyn Table>, Failure> {
    let mut more = Vec::new();
    for (name, text) in asked.more {
        more.extend(lines(name, text).map_err(|error| unusable(&error))?);
    }
    if let Some(why) = S::refuses(asked.command, asked.host) {
        return Err(Failure::usage(why));
    }
    let agent =
        S::start(asked.command, asked.host, &asked.stop).map_err(|error| cannot_run(&error))?;
    let mut all = match asked.only {
        None => S::stored(),
        Some(only) => kept(only),
    }
    .map_err(|error| unusable(&error))?;
    all.extend(more);
    let table = S::of(agent, all).map_err(|error| unusable(&error))?;
    let mut names = BTreeSet::new();
    if let Some(twice) = (0..table.len()).find(|at| !names.insert(table.name(*at))) {
        let name = table.name(twice);
        return Err(Failure::usage(format!(
            "there are two situations {name}: give yours another name"
        )));
    }
    Ok(Box::new(table))
}

/// The texts of files with situations, and of those in folders: all that end in `.json` or `.jsonl`.
///
/// # Errors
/// If one cannot be read, or a folder has none.
pub fn texts(paths: &[PathBuf]) -> Result<Vec<(String, String)>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        if !path.exists() {
            return Err(missing(path));
        }
        let mut files = vec![path.clone()];
        if path.is_dir() {
            files = entries(path).map_err(|error| unreadable(path, &error))?;
            if files.is_empty() {
                return Err(Failure::usage(format!(
                    "{}: the folder has no situations: no file ends in .json or .jsonl",
                    path.display()
                )));
            }
        }
        for file in files {
            let text = std::fs::read_to_string(&file).map_err(|error| unreadable(&file, &error))?;
            all.push((file.display().to_string(), one_a_line(&text)));
        }
    }
    Ok(all)
}

fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if matches!(ending, Some("json" | "jsonl")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("{}: cannot be read: {error}", path.display()))
}

/// A file may hold a single situation on several lines.
fn one_a_line(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => value.to_string(),
        Err(_) => text.to_owned(),
    }
}

/// A failure of an agent that cannot be run at all.
pub fn cannot_run(error: &anyhow::Error) -> Failure {
    Failure {
        exit: Exit::NoSession,
        message: chain(error.as_ref()),
    }
}

/// A failure of a file with situations.
pub fn unusable(error: &anyhow::Error) -> Failure {
    Failure::usage(format!("{error:#}"))
}
