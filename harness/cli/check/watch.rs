//! `check --watch`: checks again whenever a file of the module changes.

use crate::reproducer::FOLDER;
use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use stickler_face::args::CheckArgs;
use stickler_face::{Dialects, Done, Failure, chosen, subject, terminal};
use stickler_judge::Exit;

/// How often files are looked at. Looking, unlike notifications, works on every file system.
const EVERY: Duration = Duration::from_millis(300);
/// How many files are looked at, at most.
const MOST: usize = 5_000;
/// Folders that tools fill.
const SKIPPED: [&str; 5] = [".git", FOLDER, "target", "node_modules", "__pycache__"];

/// Runs a quick check now, and after each change first what failed, and then a quick check.
///
/// # Errors
/// If Stickler cannot be started again.
pub(super) fn run(dialects: &Dialects, args: &CheckArgs) -> Done {
    let mut folders = folders(dialects, args);
    let own = Own::of(args, &folders);
    let mut seen = stamps(&folders, &own);
    let mut failed = check(&["--quick"])?;
    loop {
        terminal::note("waiting for a change; press Ctrl-C to end");
        while stamps(&folders, &own) == seen {
            std::thread::sleep(EVERY);
        }
        // An editor may write several files.
        std::thread::sleep(EVERY);
        // The description may name other sources now.
        folders = self::folders(dialects, args);
        seen = stamps(&folders, &own);
        // What failed comes first. If it still does, the rest can wait.
        failed = failed && check(&["--last-failed", "--quick"])?;
        if !failed {
            failed = check(&["--quick"])?;
        }
    }
}

/// Runs this program again with other options. Returns whether a rule failed.
fn check(options: &[&str]) -> Result<bool, Failure> {
    let failed = |error| Failure::harness(format!("starting Stickler again: {error}"));
    let program = std::env::current_exe().map_err(failed)?;
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let command = words.iter().position(|word| word == "check").unwrap_or(0);
    words.retain(|word| word != "--watch" && word != "--quick" && word != "--last-failed");
    let at = (command + 1).min(words.len());
    words.splice(at..at, options.iter().map(OsString::from));
    let status = Command::new(program).args(words).status().map_err(failed)?;
    Ok(status.code() == Some(Exit::Findings as i32))
}

/// The folders of the modules and of their descriptions, and what else their dialects name.
fn folders(dialects: &Dialects, args: &CheckArgs) -> Vec<PathBuf> {
    let given = &args.subject.given;
    let named = dialects
        .all()
        .filter_map(|face| Some(face.named(given)?.file));
    let described: Vec<PathBuf> = args.subject.config.iter().cloned().chain(named).collect();
    let files = args.modules.iter().chain(&described);
    let folder = |file: &PathBuf| match file.is_dir() {
        true => file.clone(),
        false => file
            .parent()
            .filter(|folder| *folder != Path::new(""))
            .map_or_else(|| PathBuf::from("."), Path::to_owned),
    };
    let mut folders: Vec<PathBuf> = files.map(folder).collect();
    let mut each = args.modules.iter().map(Some).collect::<Vec<_>>();
    if each.is_empty() {
        each.push(None);
    }
    folders.extend(
        each.into_iter()
            .flat_map(|module| sources(dialects, args, module)),
    );
    if folders.is_empty() {
        folders.push(PathBuf::from("."));
    }
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| resolved(folder)).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// The sources of one subject; none if it is not described well enough yet.
fn sources(dialects: &Dialects, args: &CheckArgs, module: Option<&PathBuf>) -> Vec<PathBuf> {
    let Ok(args) = subject::of_module(dialects, &args.subject, module) else {
        return Vec::new();
    };
    let chosen = chosen::of_subject(dialects, &args);
    chosen.map_or_else(|_| Vec::new(), |chosen| subject::sources(&chosen, &args))
}

/// What Stickler itself writes: its changes are no reason to check again.
struct Own {
    /// The page of the report, and the folders for reports and reproducers.
    paths: Vec<PathBuf>,
    /// The folder for reproducers.
    reproducers: PathBuf,
    /// The files to which its output goes, by device and number.
    streams: Vec<(u64, u64)>,
}

impl Own {
    fn of(args: &CheckArgs, watched: &[PathBuf]) -> Own {
        let report = args.report.report.as_ref();
        let page = report.map(|folder| folder.join("index.html"));
        let folders = report.into_iter().chain([&args.reproducers]);
        // The module may be in the same folder.
        let folders = folders
            .map(|folder| resolved(folder))
            .filter(|folder| !watched.iter().any(|one| one.starts_with(folder)));
        let streams = [
            rustix::fs::fstat(std::io::stdout()),
            rustix::fs::fstat(std::io::stderr()),
        ];
        Own {
            paths: folders.chain(page.map(|page| resolved(&page))).collect(),
            reproducers: resolved(&args.reproducers),
            streams: streams
                .into_iter()
                .flatten()
                .map(|stat| (stat.st_dev, stat.st_ino))
                .collect(),
        }
    }

    /// `path` has no links in it.
    fn has(&self, path: &Path, found: &Metadata) -> bool {
        self.streams.contains(&(found.dev(), found.ino()))
            || self.paths.iter().any(|own| path.starts_with(own))
            || path.parent() == Some(&self.reproducers)
                && path
                    .extension()
                    .is_some_and(|end| end == "jsonl" || end == "part")
    }
}

/// A path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let above = |above: &Path| Some((above.canonicalize().ok()?, above.to_owned()));
    let Some((real, above)) = whole.ancestors().find_map(above) else {
        return whole;
    };
    match whole.strip_prefix(above) {
        Ok(rest) if rest.as_os_str().is_empty() => real,
        Ok(rest) => real.join(rest),
        Err(_) => whole,
    }
}

/// The files with their sizes and times, sorted.
fn stamps(folders: &[PathBuf], own: &Own) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
    let stamp = |path: PathBuf, found: &Metadata| (path, found.len(), found.modified().ok());
    let alone = folders.iter().filter_map(|path| {
        let found = std::fs::metadata(path).ok()?;
        found.is_file().then(|| stamp(path.clone(), &found))
    });
    let mut stamps: Vec<_> = alone.collect();
    let mut open = folders.to_vec();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else {
                continue;
            };
            let name = entry.file_name();
            if own.has(&entry.path(), &found) {
                continue;
            }
            if found.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
                open.push(entry.path());
            } else if found.is_file() && stamps.len() < MOST {
                stamps.push(stamp(entry.path(), &found));
            }
        }
    }
    stamps.sort();
    stamps
}
