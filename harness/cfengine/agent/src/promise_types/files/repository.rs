//! The repository for backups.

use super::create::make_directory;
use super::path::{chopped, joined, os, without_slash};
use super::record::Task;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::scan;
use std::fs;
use std::io::ErrorKind;

/// Creates the parent directories of a path.
fn make_folders(path: &str) -> Result<(), String> {
    if !path.starts_with('/') {
        return Err(format!(
            "Will not create directories for a relative filename: {path}"
        ));
    }
    let parent = without_slash(&path[..path.rfind('/').unwrap_or(0)]);
    if fs::symlink_metadata(os(parent)).is_ok_and(|meta| !meta.is_dir() && !meta.is_symlink()) {
        return Err(format!(
            "The object '{parent}' is not a directory. Cannot make a new directory without deleting it."
        ));
    }
    for (at, _) in path.match_indices('/').skip(1) {
        let folder = &path[..at];
        match fs::metadata(os(folder)) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => {
                return Err(format!(
                    "Cannot make {parent} - {folder} is not a directory!"
                ));
            }
            Err(_) => {
                let made = make_directory(folder, 0o700);
                if let Some(error) = made.err().filter(|e| e.kind() != ErrorKind::AlreadyExists) {
                    let reason = machine::reason(&error);
                    return Err(format!(
                        "Failed to make directory: {folder} (mkdir: {reason})"
                    ));
                }
            }
        }
    }
    Ok(())
}

impl Agent {
    /// Creates the directories above the place where a path is changed. For a relative path, it
    /// reports an error and creates none.
    pub(crate) fn make_way_to(&mut self, path: &str) {
        let place = match path.starts_with('/') {
            true => self.place(path),
            false => path.into(),
        };
        if let Err(message) = make_folders(&place) {
            self.say(Severity::Error, message);
        }
    }

    /// The suffix that separates the backups of several runs: `_1700000000_Tue_Nov_14_…`.
    pub(super) fn stamp(&self) -> String {
        let now = jiff::Zoned::now();
        let date = now.strftime("%a %b %e %H:%M:%S %Y").to_string();
        format!("_{}_{}", self.machine.started, scan::canonify(&date))
    }

    /// Copies a file to the repository, if there is one.
    pub(super) fn archive(&mut self, task: &Task, path: &str) -> bool {
        let default = self.voice.control.files.repository.clone();
        let Some(repository) = task.text("repository").or(default.as_deref()) else {
            return false;
        };
        if task.text("copy_backup") == Some("false") {
            return true;
        }
        if !self.archived.insert(path.to_owned()) {
            let message = format!(
                "The file '{path}' has already been moved to the repository once. Multiple update will cause loss of backup."
            );
            self.say(Severity::Info, message);
            return true;
        }
        let place = joined(repository, &scan::canonify(path));
        self.make_way_to(&place);
        if fs::metadata(os(path)).is_err() {
            return true;
        }
        // Even in a simulation, cf-agent copies into a repository that exists.
        let copied = self.simulates() && fs::metadata(os(&chopped(&place))).is_ok()
            || self.copies_content(path, &place, None);
        let said = if copied { "Moved" } else { "Failed to move" };
        let message = format!("{said} '{path}' to repository location '{place}'");
        self.say(Severity::Info, message);
        copied
    }
}
