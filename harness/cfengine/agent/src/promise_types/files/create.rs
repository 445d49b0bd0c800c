//! `create`: creates missing files, directories and named pipes.

use super::path::{last_node, os, without_slash};
use super::record::Task;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};

/// The mode of a new file if the promise gives none.
const FRESH: u32 = 0o600;

/// The mode of a new directory.
const FRESH_DIRECTORY: u32 = 0o700;

/// Creates a directory with exactly this mode.
pub(super) fn make_directory(path: &str, mode: u32) -> io::Result<()> {
    fs::DirBuilder::new().mode(mode).create(os(path))?;
    fs::set_permissions(os(path), Permissions::from_mode(mode))
}

impl Agent {
    /// Creates an empty file with exactly this mode. A trailing slash is ignored.
    fn make_file(&mut self, path: &str, mode: u32) -> io::Result<()> {
        let file = self.make(without_slash(&self.place(path)), mode)?;
        file.set_permissions(Permissions::from_mode(mode))
    }

    /// Creates the promised object. False if that fails or is not allowed.
    pub(super) fn create_object(&mut self, task: &mut Task, path: &str) -> bool {
        if !path.starts_with('/') {
            let message = format!(
                "Cannot create a relative filename '{path}' - has no invariant meaning. (create: {})",
                machine::reason(&io::Error::last_os_error())
            );
            self.failed(task, message);
            return false;
        }
        if task.is("depth_search") || last_node(path) == "." {
            return self.create_directory(task, path);
        }
        let fifo = task.text("file_type") == Some("fifo");
        let mode = match task.text("mode") {
            None => {
                self.verbose(|| format!("No mode was set, choose plain file default {FRESH:04o}"));
                FRESH
            }
            Some(mode) => match super::mode::parse(mode, &mut Vec::new()) {
                Ok(mask) | Err(mask) => mask.fresh(),
            },
        };
        let Some(made) = self.make_parents(task, path, task.is("move_obstructions")) else {
            return false;
        };
        if made {
            self.changed(task, format!("Created directory for '{path}'"));
        }
        if fifo {
            self.create_fifo(task, path, mode)
        } else {
            self.create_file(task, path, mode)
        }
    }

    fn create_directory(&mut self, task: &mut Task, path: &str) -> bool {
        if !self.may_change(task, format!("create directory '{path}'")) {
            return false;
        }
        match self.make_parents(task, path, task.is("move_obstructions")) {
            None => false,
            Some(made) => {
                if made {
                    self.changed(task, format!("Created directory '{path}'"));
                }
                true
            }
        }
    }

    fn create_fifo(&mut self, task: &mut Task, path: &str, mode: u32) -> bool {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        if !self.may_change(task, format!("create named pipe '{path}', mode {mode:04o}")) {
            return false;
        }
        let place = self.disk(path);
        let made = mknodat(CWD, &place, FileType::Fifo, Mode::from_raw_mode(mode), 0)
            .map_err(io::Error::from)
            .and_then(|()| fs::set_permissions(&place, Permissions::from_mode(mode)));
        match made {
            Ok(()) => {
                self.changed(
                    task,
                    format!("Created named pipe '{path}', mode {mode:04o}"),
                );
                true
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let before = task.outcome;
                let message =
                    format!("Error creating file '{path}', mode '{mode:04o}'. (mkfifo: {reason})");
                self.failed(task, message);
                task.outcome = before;
                false
            }
        }
    }

    fn create_file(&mut self, task: &mut Task, path: &str, mode: u32) -> bool {
        if !self.may_change(task, format!("create file '{path}', mode '{mode:04o}'")) {
            return false;
        }
        match self.make_file(path, mode) {
            Ok(()) => {
                self.changed(task, format!("Created file '{path}', mode {mode:04o}"));
                true
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let why = if error.kind() == io::ErrorKind::AlreadyExists {
                    format!(
                        "(open: '{reason}'). Most likely a dangling symlink is in the way. Refusing to create the target file of dangling symlink (security risk)."
                    )
                } else {
                    format!("(open: {reason})")
                };
                self.failed(
                    task,
                    format!("Error creating file '{path}', mode '{mode:04o}'. {why}"),
                );
                false
            }
        }
    }

    /// Creates the parent directories of a path. True if one was missing; `None` if it failed.
    pub(super) fn make_parents(
        &mut self,
        task: &mut Task,
        path: &str,
        force: bool,
    ) -> Option<bool> {
        if !path.starts_with('/') {
            let message = format!("Will not create directories for a relative filename: {path}");
            self.say(Severity::Error, message);
            return None;
        }
        let place = self.place(path);
        let parent = &place[..place.rfind('/').unwrap_or(0)];
        if !self.clear_the_way(task, path, without_slash(parent), force)? {
            return Some(false);
        }
        let mut made = false;
        for (at, _) in place.match_indices('/').skip(1) {
            let directory = &place[..at];
            match fs::metadata(os(directory)) {
                Ok(meta) if meta.is_dir() => {}
                Ok(_) => {
                    let parent = without_slash(parent);
                    let message = format!("Cannot make {parent} - {directory} is not a directory!");
                    self.failed(task, message);
                    return None;
                }
                Err(_) => {
                    if !self.may_change(task, format!("make directory '{directory}' for '{path}'"))
                    {
                        continue;
                    }
                    match make_directory(directory, FRESH_DIRECTORY) {
                        Ok(()) => made = true,
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        Err(error) => {
                            let reason = machine::reason(&error);
                            let message =
                                format!("Failed to make directory: {directory} (mkdir: {reason})");
                            self.failed(task, message);
                            return None;
                        }
                    }
                }
            }
        }
        Some(made)
    }

    /// Moves an object out of the way of a directory, or reports it. `None` means failure; false
    /// means that the agent must not move it.
    fn clear_the_way(
        &mut self,
        task: &mut Task,
        path: &str,
        parent: &str,
        force: bool,
    ) -> Option<bool> {
        let Ok(meta) = fs::symlink_metadata(os(parent)) else {
            return Some(true);
        };
        if meta.is_symlink() {
            self.verbose(|| format!("'{parent}' is a symbolic link, not a directory"));
        }
        if !force {
            if meta.is_symlink() || meta.is_dir() {
                return Some(true);
            }
            let message = format!(
                "The object '{parent}' is not a directory. Cannot make a new directory without deleting it."
            );
            self.failed(task, message);
            return None;
        }
        if fs::metadata(os(parent)).is_ok_and(|meta| meta.is_dir()) {
            return Some(true);
        }
        let aside = format!("{parent}.cf-moved");
        self.verbose(|| {
            format!("Moving obstructing file/link {parent} to {aside} to make directory")
        });
        let what = format!(
            "move obstructing file/link '{parent}' to '{aside}' to make directories for '{path}'"
        );
        if !self.may_change(task, what) {
            return Some(false);
        }
        self.remove_old(&aside);
        match fs::rename(os(parent), os(&aside)) {
            Ok(()) => {
                let message = format!(
                    "Moved obstructing file/link '{parent}' to '{aside}' to make directories for '{path}'"
                );
                self.changed(task, message);
                Some(true)
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Couldn't rename '{parent}' to .cf-moved (rename: {reason})");
                self.failed(task, message);
                None
            }
        }
    }

    fn remove_old(&mut self, path: &str) {
        let Ok(meta) = fs::symlink_metadata(os(path)) else {
            return;
        };
        if meta.is_dir() {
            // The emptied directory itself stays, and blocks the rename that follows.
            if !self.empty_tree(path) {
                let message =
                    format!("Failed to remove directory '{path}' while trying to remove a backup");
                self.say(Severity::Warning, message);
            }
        } else if let Err(error) = fs::remove_file(os(path)) {
            let reason = machine::reason(&error);
            let message = format!(
                "Couldn't remove file/link '{path}' while trying to remove a backup (unlink: {reason})"
            );
            self.say(Severity::Warning, message);
        }
    }
}
