//! `rename`: renames and disables files, and rotates logs.

use super::mode;
use super::path::{chopped, joined, os, without_slash};
use super::record::Task;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use rustix::fs::OFlags;
use std::fs::{self, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

impl Agent {
    /// Keeps the promises about a file's name.
    pub(super) fn keep_name(&mut self, task: &mut Task, path: &str, meta: &Metadata) {
        let Ok(now) = fs::symlink_metadata(self.disk(path)) else {
            let message = format!("File object named '{path}' is not there (promise kept)");
            self.unchanged(task, message);
            return;
        };
        let disable = task.is("disable");
        if disable {
            let message = format!("File object '{path}' exists, contrary to promise");
            self.say(Severity::Warning, message);
        }
        if let Some(name) = task.text("newname").map(str::to_owned) {
            self.rename_file(task, path, &name);
        } else if disable && now.is_symlink() {
            self.disable_link(task, path);
        } else if disable {
            self.disable_file(task, path, meta);
        } else {
            self.rotate_file(task, path);
        }
    }

    fn rename_file(&mut self, task: &mut Task, path: &str, name: &str) {
        let new = if name.starts_with('/') {
            name.to_owned()
        } else {
            joined(&chopped(path), name)
        };
        if !self.may_change(task, format!("rename file '{path}' to '{new}'")) {
            return;
        }
        if self.archived.contains(&*new) {
            let message = format!(
                "Renaming '{path}' to same destination twice would overwrite saved copy - aborting"
            );
            self.warned(task, message);
            return;
        }
        match fs::rename(self.disk(path), self.disk(&new)) {
            Ok(()) => {
                self.note_rename(path, &new);
                self.changed(task, format!("Renamed file '{path}' to '{new}'"));
            }
            Err(error) => self.failed_to_rename(task, path, &error),
        }
    }

    fn failed_to_rename(&mut self, task: &mut Task, path: &str, error: &std::io::Error) {
        let reason = machine::reason(error);
        let message = format!("Error occurred while renaming '{path}'. (rename: {reason})");
        self.failed(task, message);
    }

    fn disable_link(&mut self, task: &mut Task, path: &str) {
        if !self.may_change(task, format!("disable link '{path}'")) {
            return;
        }
        match fs::remove_file(self.disk(path)) {
            Ok(()) => {
                let message = format!("Disabled symbolic link '{path}' by deleting it");
                self.changed(task, message);
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Unable to unlink '{path}'. (unlink: {reason})");
                self.failed(task, message);
            }
        }
    }

    fn disable_file(&mut self, task: &mut Task, path: &str, meta: &Metadata) {
        let what = if meta.is_dir() { "directory" } else { "file" };
        if !self.may_change(task, format!("rename '{what}' '{path}'")) {
            return;
        }
        let suffix = task.text("disable_suffix").unwrap_or(".cfdisabled");
        let new = format!("{}{suffix}", without_slash(path));
        let mask = task
            .text("disable_mode")
            .map(|text| mode::parse(text, &mut Vec::new()).unwrap_or_else(|partly| partly));
        let mask = mask.unwrap_or_default();
        let mode = mask.apply(meta.mode());
        match self.change_mode(&self.place(path), mode) {
            Ok(()) => {
                let message = format!("Changed permissions of '{path}' to 'mode {mode:04o}'");
                self.changed(task, message);
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!(
                    "Failed to change permissions of '{path}' to 'mode {mode:04o}' ({reason})"
                );
                self.failed(task, message);
            }
        }
        if self.archived.contains(&*new) {
            let message =
                "Disable required twice? Would overwrite saved copy - changing permissions only";
            self.warned(task, message);
            return;
        }
        if let Err(error) = fs::rename(self.disk(path), self.disk(&new)) {
            self.failed_to_rename(task, path, &error);
            return;
        }
        self.note_rename(path, &new);
        let message = format!("Disabled file '{path}' by renaming to '{new}' with mode {mode:04o}");
        self.changed(task, message);
        if self.archive(task, &new) {
            // The repository has a copy.
            let _ = fs::remove_file(self.disk(&new));
        }
    }

    fn rotate_file(&mut self, task: &mut Task, path: &str) {
        match task.promise.int("rotate") {
            Some(0) if self.may_change(task, format!("truncate '{path}'")) => {
                self.truncate(&self.place(path));
                self.changed(task, format!("Truncated '{path}'"));
            }
            Some(count @ 1..)
                if self.may_change(task, format!("rotate file '{path}' in {count} fifo")) =>
            {
                self.rotate(&self.place(path), count);
                self.changed(task, format!("Rotated file '{path}' in {count} fifo"));
            }
            _ => {}
        }
    }

    /// cf-agent's message, with its source line, for an owner that can't be set.
    fn warn_of_owner(&self, line: u32, path: &str) {
        self.warn(&format!(
            "files_lib.c:{line}: Unexpected Error - this is a BUG, please report it: Failed to chown {path}\n"
        ));
    }

    fn truncate(&mut self, path: &str) {
        let file = self.open(path, OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC);
        if let Err(error) = file {
            let reason = machine::reason(&error);
            let message = format!("Failed to create or truncate file '{path}'. (create: {reason})");
            self.say(Severity::Error, message);
        }
    }

    /// Renames the numbered copies of a file to the next number, once per file in a run.
    pub(super) fn rotate(&mut self, path: &str, count: i64) {
        if !self.rotated.insert(path.to_owned()) {
            return;
        }
        let Ok(meta) = fs::metadata(os(path)) else {
            self.verbose(|| format!("No access to file {path}"));
            return;
        };
        for number in (1..count.min(10_000)).rev() {
            for ending in ["", ".gz", ".Z", ".bz", ".bz2"] {
                let from = format!("{path}.{number}{ending}");
                // There may be fewer copies.
                let _ = fs::rename(os(&from), os(&format!("{path}.{}{ending}", number + 1)));
            }
        }
        let first = format!("{path}.1");
        if !self.copies_content(path, &first, None) {
            return;
        }
        let mode = Permissions::from_mode(meta.mode() & 0o7777);
        // If the copy's mode can't be set, the promise does not fail.
        let _ = fs::set_permissions(os(&first), mode.clone());
        let owner = (Some(meta.uid()), Some(meta.gid()));
        if self.change_owner(&first, true, owner.0, owner.1).is_err() {
            self.warn_of_owner(702, &first);
        }
        // The file must be writable to be truncated.
        let _ = self.change_mode(path, 0o600);
        match self.open(path, OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC) {
            Ok(file) => {
                if self.change_owner(path, true, owner.0, owner.1).is_err() {
                    self.warn_of_owner(715, &format!("'{path}'"));
                }
                let _ = file.set_permissions(mode);
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let message =
                    format!("Failed to create new '{path}' in disable(rotate). (create: {reason})");
                self.say(Severity::Error, message);
            }
        }
    }
}
