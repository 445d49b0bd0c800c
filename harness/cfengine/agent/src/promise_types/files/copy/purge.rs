//! Removes files that have no source any more.

use super::super::path::{joined, os};
use super::super::record::Task;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use std::fs;
use std::io::ErrorKind;

impl Agent {
    /// Empties a directory as far as possible; false if something is left.
    pub(crate) fn empty_tree(&mut self, path: &str) -> bool {
        self.empty_below(path, path)
    }

    fn empty_below(&mut self, base: &str, path: &str) -> bool {
        let during = format!("during purge of directory tree '{base}'");
        let names = match self.names_in(path) {
            Ok(names) => names,
            Err(error) if error.kind() == ErrorKind::NotFound => return true,
            Err(error) => {
                let reason = machine::reason(&error);
                let message =
                    format!("Unable to open directory '{path}' {during} (opendir: {reason})");
                self.say(Severity::Info, message);
                return false;
            }
        };
        let mut emptied = true;
        for name in names.iter().filter(|name| !matches!(&***name, "." | "..")) {
            let inner = format!("{path}/{name}");
            let failed = match fs::symlink_metadata(os(&inner)) {
                Ok(meta) if meta.is_dir() => {
                    emptied &= self.empty_below(base, &inner);
                    emptied &= fs::remove_dir(os(&inner)).is_ok();
                    continue;
                }
                Ok(_) => fs::remove_file(os(&inner))
                    .err()
                    .map(|error| (format!("remove file '{inner}' {during}."), "unlink", error)),
                Err(error) => Some((format!("stat file '{inner}' {during}"), "lstat", error)),
            };
            if let Some((what, call, error)) = failed
                && error.kind() != ErrorKind::NotFound
            {
                let reason = machine::reason(&error);
                self.verbose(|| format!("Unable to {what} ({call}: {reason})"));
                emptied = false;
            }
        }
        emptied
    }

    /// Removes the entries of a directory that are not among the names to keep.
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
        let place = self.place(directory);
        let names = match self.enter(&place).and_then(|()| self.names_in(&place)) {
            Ok(names) => names,
            Err(error) => {
                let reason = machine::reason(&error);
                let message =
                    format!("Can't chdir to local directory '{directory}'. (chdir: {reason})");
                self.failed(task, message);
                return;
            }
        };
        // In a simulation cf-agent's messages show the path that it mapped last.
        let mut shown = place;
        for name in names {
            if !self.considers(&name, &shown) {
                self.verbose(|| format!("Skipping '{name}'"));
            } else if !kept.contains(&name) {
                let path = joined(directory, &name);
                self.purge_one(task, &path);
                if self.simulates() {
                    shown = self.place(&path).into_owned().into();
                }
            }
        }
    }

    fn purge_one(&mut self, task: &mut Task, path: &str) {
        if !self.may_change(task, format!("purge '{path}' from copy dest directory")) {
            return;
        }
        let place = self.place(path);
        let meta = match fs::symlink_metadata(os(&place)) {
            Ok(meta) => meta,
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Couldn't stat '{path}' while purging. (lstat: {reason})");
                self.interrupted(task, message);
                return;
            }
        };
        if meta.is_dir() {
            if !self.empty_tree(&place) {
                self.failed(task, format!("Unable to purge directory tree '{path}'"));
                return;
            }
            match fs::remove_dir(os(&place)) {
                Ok(()) => {
                    let message = format!("Purged directory '{path}' in copy dest directory");
                    self.changed(task, message);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => self.failed(task, format!("Unable to purge directory '{path}'")),
            }
        } else if fs::remove_file(os(&place)).is_ok() {
            self.changed(task, format!("Purged '{path}' copy dest directory"));
        } else {
            self.failed(task, format!("Couldn't delete '{path}' while purging"));
        }
    }
}
