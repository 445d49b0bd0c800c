//! `--output FORMAT=FILE` and `--report DIR`: files with reports. They are opened before the first
//! session, so that no result is lost because a file cannot be written. If one cannot be opened,
//! nothing is left of the others. A web page is either whole or absent.

use anyhow::Context;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use stickler_face::args::ReportArgs;
use stickler_face::{Failure, terminal};
use stickler_report::Format;

/// An open file for a report. It keeps its old content until the report is written, and is removed
/// if it is new and no report is written.
pub struct Output {
    /// The format of the report.
    pub format: Format,
    path: PathBuf,
    target: Target,
    /// Goes after the file.
    folders: Made,
}

enum Target {
    /// A file that stays open, and whether it is new.
    Open(File, bool),
    /// A page, which is written beside its place first.
    Page,
}

/// The folders that were made for a file. They are removed again if they stay empty.
struct Made(Vec<PathBuf>);

impl Made {
    fn of(folder: &Path) -> std::io::Result<Made> {
        let missing = folder.ancestors().take_while(|above| !above.exists());
        let made = Made(missing.map(Path::to_owned).collect());
        std::fs::create_dir_all(folder)?;
        Ok(made)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for folder in &self.0 {
            // Fails if something is in it.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Opens the files that the arguments name.
///
/// # Errors
/// If an argument is malformed, or a file cannot be opened.
pub fn open(arguments: &ReportArgs) -> Result<Vec<Output>, Failure> {
    let page = arguments.report.iter().map(|folder| Output::page(folder));
    let named = arguments.outputs.iter().map(|argument| named(argument));
    named.chain(page).collect()
}

/// Opens the file of `--output FORMAT=FILE`.
fn named(argument: &str) -> Result<Output, Failure> {
    let (format, path) = argument
        .split_once('=')
        .ok_or_else(|| Failure::usage(format!("--output {argument}: write FORMAT=FILE")))?;
    let format = format
        .parse()
        .map_err(|error| Failure::usage(format!("--output {argument}: {error}")))?;
    Output::open(&format!("--output {argument}"), format, path.into())
}

/// Is this the file in which GitHub Actions collects the summary of a step?
fn is_summary(path: &Path) -> bool {
    let summary = std::env::var_os("GITHUB_STEP_SUMMARY");
    summary.is_some_and(|summary| !summary.is_empty() && path == Path::new(&summary))
}

impl Output {
    /// The web page of `--report DIR`.
    ///
    /// # Errors
    /// If it cannot be written there.
    pub fn page(folder: &Path) -> Result<Output, Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::usage(format!("--report {0}: {error}", folder.display()))
        };
        let path = folder.join("index.html");
        if folder.exists() && !folder.is_dir() {
            return Err(failed(&"it is not a folder"));
        }
        let folders = Made::of(folder).map_err(|error| failed(&error))?;
        if path.is_dir() {
            return Err(failed(&"index.html is a folder"));
        }
        // Nothing of this trial is left if the program is killed later.
        let trial = beside(&path);
        File::create(&trial)
            .and_then(|_| std::fs::remove_file(&trial))
            .map_err(|error| failed(&error))?;
        Ok(Output {
            format: Format::Html,
            path,
            target: Target::Page,
            folders,
        })
    }

    fn open(argument: &str, format: Format, path: PathBuf) -> Result<Output, Failure> {
        let failed = |error: std::io::Error| {
            Failure::usage(format!("{argument}: {}: {error}", path.display()))
        };
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folders = match folder {
            Some(folder) => Made::of(folder).map_err(failed)?,
            None => Made(Vec::new()),
        };
        let is_new = !path.exists();
        let mut options = File::options();
        let file = options.write(true).create(true).truncate(false);
        let file = file.open(&path).map_err(failed)?;
        Ok(Output {
            format,
            path,
            target: Target::Open(file, is_new),
            folders,
        })
    }

    /// Replaces the content of the file. The summary of a step in GitHub Actions is continued, since
    /// a step may check several subjects.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let path = &self.path;
        let written = match &mut self.target {
            Target::Page => whole(path, bytes),
            Target::Open(file, is_new) => {
                *is_new = false;
                replaced(path, file, bytes)
            }
        };
        self.folders.0.clear();
        written
            .with_context(|| format!("writing {}", path.display()))
            .map_err(|error| Failure::usage(format!("{error:#}")))
    }

    /// Says where the page is, if it is one.
    pub fn tell(&self) {
        if matches!(self.target, Target::Page) {
            terminal::note(&format!("the report is in {}", self.path.display()));
        }
    }
}

/// Writes an open file anew.
fn replaced(path: &Path, file: &mut File, bytes: &[u8]) -> std::io::Result<()> {
    // A device or a pipe has no length.
    let is_file = file.metadata()?.is_file();
    if is_file && is_summary(path) {
        if file.seek(SeekFrom::End(0))? > 0 {
            file.write_all(b"\n")?;
        }
    } else {
        file.rewind()?;
        if is_file {
            file.set_len(0)?;
        }
    }
    file.write_all(bytes)
}

/// Where a page is written before it takes its place.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("html.part")
}

/// Writes a file. Nobody ever sees a part of it.
fn whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let unfinished = beside(path);
    let written =
        std::fs::write(&unfinished, bytes).and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Target::Open(_, true) = self.target {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
