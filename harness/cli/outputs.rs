//! `--output FORMAT=FILE`: files with reports. They are opened before the first session, so that
//! no result is lost because a file cannot be written.

use crate::failure::Failure;
use anyhow::Context;
use std::fs::File;
use std::io::{Seek, Write};
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
}

/// Opens the files that the arguments name.
///
/// # Errors
/// If an argument is malformed, or a file cannot be opened.
pub fn open(arguments: &[String]) -> Result<Vec<Output>, Failure> {
    arguments
        .iter()
        .map(|argument| Output::open(argument))
        .collect()
}

impl Output {
    fn open(argument: &str) -> Result<Output, Failure> {
        let (format, path) = argument
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("--output {argument}: write FORMAT=FILE")))?;
        let format = format
            .parse()
            .map_err(|error| Failure::usage(format!("--output {argument}: {error}")))?;
        let path = PathBuf::from(path);
        let failed = |error: std::io::Error| {
            Failure::usage(format!("--output {argument}: {}: {error}", path.display()))
        };
        if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let is_new = !path.exists();
        let mut options = File::options();
        let file = options.write(true).create(true).truncate(false);
        let file = file.open(&path).map_err(failed)?;
        Ok(Output {
            format,
            path,
            file,
            is_new,
        })
    }

    /// Replaces the content of the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.is_new = false;
        let mut write = || {
            self.file.rewind()?;
            // A device or a pipe has no length.
            if self.file.metadata()?.is_file() {
                self.file.set_len(0)?;
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
