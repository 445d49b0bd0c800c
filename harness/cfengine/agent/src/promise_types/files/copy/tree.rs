//! Copies a directory recursively.

use super::super::create::make_directory;
use super::super::path::{joined, last_node, os, with_slash, without_slash};
use super::super::record::Task;
use super::Tree;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::stop::Step;
use std::fs;
use std::os::unix::fs::MetadataExt;

impl Agent {
    /// Copies the entries of a directory.
    pub(super) fn copy_tree(
        &mut self,
        task: &mut Task,
        from: &str,
        to: &str,
        depth: i64,
        tree: &mut Tree,
    ) -> Step<()> {
        self.tick()?;
        if depth == 0 {
            self.failed(task, format!("Maximum recursion level reached at '{from}'"));
            return Ok(());
        }
        let force = task.is("move_obstructions");
        let to = without_slash(to);
        let inside = format!("{}dummy", with_slash(to));
        let Some(made) = self.make_parents(task, &inside, force) else {
            return Ok(());
        };
        if made {
            self.changed(task, format!("Created parent directory for '{to}'"));
        }
        if !self.prepare_directory(task, to) {
            return Ok(());
        }
        let copied = self.copy_of_known(from) != from;
        let Ok(names) = self.names_in(&self.copy_of_known(from)) else {
            self.interrupted(task, format!("Can't open directory '{from}' for copying"));
            return Ok(());
        };
        let mut kept = Vec::new();
        for name in names {
            if !self.considers(&name, from) || self.source_found(&joined(from, &name)).is_err() {
                self.verbose(|| format!("Skipping '{name}'"));
                continue;
            }
            kept.push(name.clone());
            let source = joined(from, &name);
            let place = match copied {
                true => self.place(&source).into_owned(),
                false => source.clone(),
            };
            self.copy_entry(task, (&source, &place), to, depth, tree)?;
        }
        if task.is("purge") {
            let before = task.outcome;
            self.purge(task, to, &kept);
            task.outcome = before;
        }
        Ok(())
    }

    /// Moves a link away that is in the directory's place.
    fn prepare_directory(&mut self, task: &mut Task, to: &str) -> bool {
        let meta = match fs::symlink_metadata(self.disk(to)) {
            Ok(meta) => meta,
            Err(error) => {
                let reason = machine::reason(&error);
                let message =
                    format!("Unable to stat newly created directory '{to}'. (lstat: {reason})");
                self.failed(task, message);
                return false;
            }
        };
        if !meta.is_symlink() {
            return true;
        }
        if !task.is("move_obstructions") {
            let message = format!(
                "Path '{to}' is a symlink. Unable to move it aside without move_obstructions is set"
            );
            self.failed(task, message);
            return false;
        }
        if self.may_change(task, format!("backup '{to}'")) {
            if fs::rename(self.disk(to), self.disk(&format!("{to}.cf-moved"))).is_ok() {
                self.changed(task, format!("Backed up '{to}'"));
            } else {
                self.say(Severity::Error, format!("Unable to backup old '{to}'"));
            }
        }
        if self.may_change(task, format!("create directory '{to}'")) {
            if let Err(error) = make_directory(&self.place(to), 0o700) {
                let reason = machine::reason(&error);
                let message = format!("Failed to make directory '{to}'. (mkdir: {reason})");
                self.failed(task, message);
                return false;
            }
            self.changed(task, format!("Created directory for '{to}'"));
        }
        true
    }

    fn copy_entry(
        &mut self,
        task: &mut Task,
        (source, place): (&str, &str),
        to: &str,
        depth: i64,
        tree: &mut Tree,
    ) -> Step<()> {
        let travels = task.is("traverse_links");
        let found = if travels {
            fs::metadata(os(place))
        } else {
            self.source_found(place)
        };
        let meta = match found {
            Ok(meta) => meta,
            Err(error) => {
                let reason = machine::reason(&error);
                self.verbose(|| format!("Can't stat '{source}'. (cf_stat: {reason})"));
                self.verbose(|| format!("Skipping '{source}'"));
                return Ok(());
            }
        };
        let collapses = task.is("collapse_destination_dir");
        let path = if collapses && meta.is_dir() {
            to.to_owned()
        } else {
            joined(to, last_node(source))
        };
        if task.is("xdev") && meta.dev() != tree.root {
            self.verbose(|| format!("Device change from {} to {}", tree.root, meta.dev()));
            self.verbose(|| format!("Skipping '{source}' on different device"));
            return Ok(());
        }
        if !meta.is_dir() {
            return self.copy_found(task, source, &path, tree);
        }
        if travels {
            self.verbose(|| {
                "Traversing directory links during copy is too dangerous, pruned".into()
            });
            return Ok(());
        }
        if self.skips_directory(task, source) {
            return Ok(());
        }
        if !collapses && fs::metadata(os(&path)).is_err() {
            if let Err(error) = make_directory(&self.place(&path), 0o700) {
                let reason = machine::reason(&error);
                let message = format!("Can't make directory '{path}'. (mkdir: {reason})");
                self.interrupted(task, message);
                return Ok(());
            }
            self.changed(task, format!("Created directory '{path}'"));
        }
        self.verbose(|| format!("Entering '{path}'"));
        if !collapses
            && let Ok(copy) = fs::metadata(os(&path)).or_else(|_| fs::metadata(self.disk(&path)))
        {
            let before = task.outcome;
            self.keep_copied_attributes(task, &path, &meta, &copy);
            task.outcome = before;
        }
        self.copy_tree(task, source, &path, depth - 1, tree)
    }
}
