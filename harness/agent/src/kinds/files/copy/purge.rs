//! Removing what has no source any more.

use super::super::path::{joined, os};
use super::super::record::Task;
use crate::context::Agent;
use crate::machine;
use std::fs;

/// Removes the files of a tree, and what directories are empty then.
pub(in super::super) fn empty_tree(path: &str) -> bool {
    fs::remove_dir_all(os(path)).is_ok()
}

impl Agent {
    /// Removes what is in a directory and not among some names.
    pub(super) fn purge(&mut self, task: &mut Task, directory: &str, kept: &[String]) {
        if directory.len() < 2 {
            self.failed(
                task,
                format!("Purge of '{directory}' denied - too dangerous!"),
            );
            return;
        }
        if !task.is("depth_search") {
            let message =
                format!("No depth search when copying '{directory}' so purging does not apply");
            self.unchanged(task, message);
            return;
        }
        let names = match self
            .enter(directory)
            .and_then(|()| self.names_in(directory))
        {
            Ok(names) => names,
            Err(error) => {
                let reason = machine::reason(&error);
                let message =
                    format!("Can't chdir to local directory '{directory}'. (chdir: {reason})");
                self.failed(task, message);
                return;
            }
        };
        for name in names {
            if !self.considers(&name, directory) {
                self.verbose(|| format!("Skipping '{name}'"));
            } else if !kept.contains(&name) {
                self.purge_one(task, &joined(directory, &name));
            }
        }
    }

    fn purge_one(&mut self, task: &mut Task, path: &str) {
        if !self.may_change(task, format!("purge '{path}' from copy dest directory")) {
            return;
        }
        let meta = match fs::symlink_metadata(os(path)) {
            Ok(meta) => meta,
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Couldn't stat '{path}' while purging. (lstat: {reason})");
                self.failed(task, message);
                return;
            }
        };
        if meta.is_dir() {
            if empty_tree(path) {
                let message = format!("Purged directory '{path}' in copy dest directory");
                self.changed(task, message);
            } else {
                self.failed(task, format!("Unable to purge directory tree '{path}'"));
            }
        } else if fs::remove_file(os(path)).is_ok() {
            self.changed(task, format!("Purged '{path}' copy dest directory"));
        } else {
            self.failed(task, format!("Couldn't delete '{path}' while purging"));
        }
    }
}
