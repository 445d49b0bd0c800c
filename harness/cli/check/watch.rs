//! `check --watch`: checks again whenever a file of the module changes.

use crate::args::CheckArgs;
use crate::failure::{Done, Failure};
use crate::reproducer::FOLDER;
use crate::terminal;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use stickler_judge::Exit;

/// How often files are looked at. Looking, unlike notifications, works on every file system.
const EVERY: Duration = Duration::from_millis(300);
/// How many files are looked at, at most.
const MOST: usize = 5_000;
/// Folders that tools fill.
const SKIPPED: [&str; 4] = [".git", FOLDER, "target", "node_modules"];

/// Runs a quick check now, and after each change first what failed, and then a quick check.
///
/// # Errors
/// If Stickler cannot be started again.
pub(super) fn run(args: &CheckArgs) -> Done {
    let folders = folders(args);
    let mut seen = stamps(&folders);
    check(&["--quick"])?;
    loop {
        terminal::note("waiting for a change; press Ctrl-C to end");
        let now = loop {
            std::thread::sleep(EVERY);
            let now = stamps(&folders);
            if now != seen {
                break now;
            }
        };
        // An editor may write several files.
        std::thread::sleep(EVERY);
        seen = stamps(&folders).max(now);
        let failed = check(&["--last-failed", "--quick"])?;
        if !failed {
            check(&["--quick"])?;
        }
    }
}

/// Runs this program again with other options. Returns whether something failed.
fn check(options: &[&str]) -> Result<bool, Failure> {
    let failed = |error| Failure::harness(format!("starting Stickler again: {error}"));
    let program = std::env::current_exe().map_err(failed)?;
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let command = words.iter().position(|word| word == "check").unwrap_or(0);
    words.retain(|word| word != "--watch" && word != "--quick" && word != "--last-failed");
    let at = (command + 1).min(words.len());
    words.splice(at..at, options.iter().map(OsString::from));
    let status = Command::new(program).args(words).status().map_err(failed)?;
    Ok(status.code() != Some(Exit::Success as i32))
}

/// The folders of the module and of its description.
fn folders(args: &CheckArgs) -> Vec<PathBuf> {
    let described = args.subject.config.iter().chain(&args.subject.policy);
    let files = args.modules.iter().chain(described);
    let folder = |file: &PathBuf| match file.is_dir() {
        true => file.clone(),
        false => file
            .parent()
            .filter(|folder| *folder != Path::new(""))
            .map_or_else(|| PathBuf::from("."), Path::to_owned),
    };
    let mut folders: Vec<PathBuf> = files.map(folder).collect();
    if folders.is_empty() {
        folders.push(PathBuf::from("."));
    }
    folders.sort();
    folders.dedup();
    folders
}

/// The files with their sizes and times, sorted.
fn stamps(folders: &[PathBuf]) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
    let mut stamps = Vec::new();
    let mut open = folders.to_vec();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else {
                continue;
            };
            let name = entry.file_name();
            if found.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
                open.push(entry.path());
            } else if found.is_file() && stamps.len() < MOST {
                stamps.push((entry.path(), found.len(), found.modified().ok()));
            }
        }
    }
    stamps.sort();
    stamps
}
