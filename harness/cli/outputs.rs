//! `--output FORMAT=FILE` and `--report DIR`: files with reports. They are opened before the first
//! session, so that no result is lost because a file cannot be written. If one cannot be opened,
//! nothing is left of the others.

use crate::args::ReportArgs;
use crate::failure::Failure;
use anyhow::Context;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use stickler_report::Format;

/// An open file for a report. It keeps its old content until the report is written, and is removed
/// if it is new and no report is written.
pub struct Output {
    /// The format of the report.
    pub format: Format,
    path: PathBuf,
    file: File,
    is_new: bool,
    /// Goes after the file.
    folders: Made,
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
    let page = arguments.report.iter().map(|folder| {
        let argument = format!("--report {}", folder.display());
        Output::open(&argument, Format::Html, folder.join("index.html"))
    });
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
            file,
            is_new,
            folders,
        })
    }

    /// Replaces the content of the file. The summary of a step in GitHub Actions is continued, since
    /// a step may check several subjects.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.is_new = false;
        self.folders.0.clear();
        let mut write = || {
            // A device or a pipe has no length.
            let is_file = self.file.metadata()?.is_file();
            if is_file && is_summary(&self.path) {
                if self.file.seek(SeekFrom::End(0))? > 0 {
                    self.file.write_all(b"\n")?;
                }
            } else {
                self.file.rewind()?;
                if is_file {
                    self.file.set_len(0)?;
                }
            }
            self.file.write_all(bytes)
        };
        write()
            .with_context(|| format!("writing {}", self.path.display()))
            .map_err(|error| Failure::usage(format!("{error:#}")))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.is_new {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
