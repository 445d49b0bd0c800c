//! `link_children`: a link for each file of a directory.

use super::super::path::joined;
use super::super::record::Task;
use crate::context::Agent;
use crate::machine;
use crate::outcome::Outcome;
use crate::stop::Step;
use std::fs;

impl Agent {
    /// Links all entries of a directory from another one.
    pub(in super::super) fn link_children(
        &mut self,
        task: &mut Task,
        path: &str,
        source: &str,
        level: i64,
    ) -> Step<()> {
        // The outcome of each directory is computed separately.
        let before = std::mem::replace(&mut task.outcome, Outcome::Kept);
        let linked = self.link_each_child(task, path, source, level);
        task.outcome = before.and(task.outcome);
        linked
    }

    fn link_each_child(
        &mut self,
        task: &mut Task,
        path: &str,
        source: &str,
        level: i64,
    ) -> Step<()> {
        self.tick()?;
        match fs::symlink_metadata(self.disk(path)) {
            Ok(meta) if task.is("move_obstructions") && meta.is_symlink() => {
                if fs::remove_file(self.disk(path)).is_ok() {
                    self.changed(task, format!("Removed obstructing link '{path}'"));
                } else {
                    self.failed(task, format!("Failed to remove obstructing link '{path}'"));
                }
            }
            Ok(meta) if !meta.is_dir() => {
                let message = format!(
                    "Cannot promise to link files to children of '{path}' as it is not a directory"
                );
                self.failed(task, message);
                return Ok(());
            }
            Ok(_) => {}
            Err(_) => {
                if !self.create_object(task, &format!("{path}/.")) {
                    let message = format!(
                        "Failed to create directory '{path}' for linking files as its children"
                    );
                    self.failed(task, message);
                    return Ok(());
                }
            }
        }
        self.mirror(&task.promise, source);
        let names = match self.names_in(&self.place(source)) {
            Ok(names) => names,
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!(
                    "Can't open source of children to link '{}'. (opendir: {reason})",
                    task.text("source").unwrap_or_default()
                );
                self.failed(task, message);
                return Ok(());
            }
        };
        for name in names {
            if !self.considers(&name, source) {
                self.verbose(|| format!("Skipping '{name}'"));
                continue;
            }
            let child = joined(path, &name);
            self.link_child(task, &child, &joined(source, &name), level)?;
            if task.outcome == Outcome::Repaired {
                self.note_change(&child);
            }
        }
        Ok(())
    }

    fn link_child(&mut self, task: &mut Task, path: &str, source: &str, level: i64) -> Step<()> {
        let there = fs::symlink_metadata(self.disk(path));
        if there.is_ok_and(|meta| !meta.is_symlink() && !meta.is_dir()) {
            if task.text("when_linking_children") != Some("override_file") {
                self.verbose(|| {
                    format!("Have promised not to disturb existing content belonging to '{path}'")
                });
                return Ok(());
            }
            let mut promise = (*task.promise).clone();
            promise.set(
                &"move_obstructions".into(),
                crate::value::Value::text("true"),
            );
            task.promise = promise.into();
        }
        let deeper = task.promise.int("depth").unwrap_or(0) > level;
        if deeper
            && fs::symlink_metadata(self.disk(&self.at(source))).is_ok_and(|meta| meta.is_dir())
        {
            self.link_children(task, path, source, level + 1)
        } else {
            self.keep_link(task, path, source)
        }
    }
}
