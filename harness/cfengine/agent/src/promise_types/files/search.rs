//! `depth_search`: the files below a directory.

use super::leaf::is_ignored;
use super::path::{joined, last_node, os};
use super::record::Task;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::outcome::Outcome;
use crate::stop::{Step, Stop};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;

/// How deep directories may be nested.
const DEEPEST: i64 = 100;

impl Agent {
    /// Whether the agent looks at a name in a directory.
    pub(super) fn considers(&mut self, name: &str, directory: &str) -> bool {
        if name == "..." {
            let message = format!(
                "Possible path traversal attempt detected in '{directory}/{name}', skipping"
            );
            self.say(Severity::Warning, message);
            return false;
        }
        if self.is_suspicious(name, directory) {
            return false;
        }
        if is_ignored(name) {
            self.verbose(|| {
                format!("Filename '{directory}/{name}' is classified as ignorable, skipping")
            });
            return false;
        }
        true
    }

    fn is_suspicious(&mut self, name: &str, directory: &str) -> bool {
        let names = &self.voice.control.files.suspicious;
        if !names.iter().any(|suspicious| **suspicious == *name) {
            return false;
        }
        let meta = fs::symlink_metadata(os(&self.newest(&joined(directory, name))));
        let found = meta.is_ok_and(|meta| meta.is_file() || meta.is_symlink());
        if found {
            let message =
                format!("Filename '{directory}/{name}' is classified as suspiscious, skipping");
            self.say(Severity::Warning, message);
        }
        found
    }

    /// Keeps a file, or the files below a directory.
    pub(super) fn search(
        &mut self,
        task: &mut Task,
        path: &str,
        meta: &Metadata,
        level: i64,
        root: u64,
    ) -> Step<bool> {
        self.tick()?;
        if level > DEEPEST {
            let message = format!(
                "Very deep nesting of directories (>{level} deep) for '{path}' (Aborting files)"
            );
            self.warned(task, message);
            task.add(Outcome::Failed);
            return Ok(false);
        }
        let place = self.place(path);
        let entered = self.enter(&place);
        // This also happens if the search starts at a link.
        if entered.is_ok() && fs::metadata(os(&place)).is_ok_and(|here| here.ino() != meta.ino()) {
            let message = format!(
                "SERIOUS SECURITY ALERT: path race exploited in recursion to/from '{place}'. Not safe for agent to continue - aborting"
            );
            self.say(Severity::Error, message);
            return Err(Stop::Fatal("Not safe to continue".into()));
        }
        let names = match entered.and_then(|()| self.names_in(&place)) {
            Ok(names) => names,
            Err(error) => {
                let reason = machine::reason(&error);
                let mode = meta.mode() & 0o7777;
                let message = format!(
                    "Could not change to directory '{path}' (mode '{mode:04o}', chdir: {reason})"
                );
                self.failed(task, message);
                return Ok(false);
            }
        };
        let mut seen = Vec::new();
        for name in names {
            if self.considers(&name, path) {
                self.search_in(task, path, &name, level, root, &mut seen)?;
            }
        }
        if task.is("changes") {
            self.watch_directory(task, path, seen);
        }
        Ok(true)
    }

    fn search_in(
        &mut self,
        task: &mut Task,
        directory: &str,
        name: &str,
        level: i64,
        root: u64,
        seen: &mut Vec<String>,
    ) -> Step<()> {
        let path = joined(directory, name);
        let mut meta = match fs::symlink_metadata(self.disk(&path)) {
            Ok(meta) => meta,
            Err(error) => {
                self.verbose(|| {
                    format!(
                        "Recurse was looking at '{path}' when an error occurred. (lstat: {})",
                        machine::reason(&error)
                    )
                });
                return Ok(());
            }
        };
        if meta.is_symlink() && self.remove_dead_link(task, &path) {
            self.note_change(&path);
            return Ok(());
        }
        if meta.is_symlink() && task.is("traverse_links") {
            if meta.uid() != 0 && meta.uid() != self.machine.uid {
                let message = format!(
                    "File '{path}' is an untrusted link: cfengine will not follow it with a destructive operation"
                );
                self.say(Severity::Info, message);
                return Ok(());
            }
            match fs::metadata(self.disk(&path)) {
                Ok(target) => meta = target,
                Err(error) => {
                    let reason = machine::reason(&error);
                    let message = format!(
                        "Recurse was working on '{path}' when this failed. (stat: {reason})"
                    );
                    self.failed(task, message);
                    return Ok(());
                }
            }
        }
        if task.is("xdev") && meta.dev() != root {
            self.verbose(|| format!("Device change from {root} to {}", meta.dev()));
            self.verbose(|| {
                format!(
                    "Skipping '{path}' on different device - use xdev option to change this. (stat: Success)"
                )
            });
            return Ok(());
        }
        if meta.is_dir() {
            if self.skips_directory(task, &path) {
                return Ok(());
            }
            let depth = task.promise.int("depth").unwrap_or(0);
            if depth > 1 && level <= depth {
                self.verbose(|| format!("Entering '{path}', level {level}"));
                if self.search(task, &path, &meta, level + 1, root)? {
                    self.directory = Some(self.place(directory).into_owned());
                }
            }
        }
        if self.selects(task, &path, &meta) {
            if task.is("changes") {
                self.note_new_file(task, directory, name);
                seen.push(name.to_owned());
            }
            self.keep_leaf(task, &path, &meta)?;
            if !task.is("rename") {
                self.note_kept(&path);
            }
            if task.outcome == Outcome::Repaired {
                self.note_change(&path);
            }
        }
        Ok(())
    }

    /// Whether a directory's name excludes it.
    pub(super) fn skips_directory(&mut self, task: &Task, path: &str) -> bool {
        let node = last_node(path);
        let excluded = task.promise.texts("exclude_dirs");
        if self.match_any(&excluded, path) || self.match_any(&excluded, node) {
            self.verbose(|| format!("Skipping matched excluded directory '{path}'"));
            return true;
        }
        let included = task.promise.texts("include_dirs");
        let listed = task.promise.get("include_dirs").is_some();
        if listed && !self.match_any(&included, path) && !self.match_any(&included, node) {
            self.verbose(|| format!("Skipping matched non-included directory '{path}'"));
            return true;
        }
        false
    }
}
