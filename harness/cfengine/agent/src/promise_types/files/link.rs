//! `link_from`: symbolic and hard links.

mod children;
mod hard;
mod kinds;

use super::path::{chopped, compressed, joined, last_node, os, said, seen_from};
use super::record::Task;
use crate::context::Agent;
use crate::machine;
use crate::stop::Step;
use std::fs;
use std::os::unix::fs::symlink;

/// What the agent does if a link's source does not exist.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NoSource {
    Skip,
    Force,
    Delete,
}

impl NoSource {
    fn of(task: &Task) -> Self {
        match task.text("when_no_source") {
            Some("force") => Self::Force,
            Some("delete") => Self::Delete,
            _ => Self::Skip,
        }
    }
}

fn read_link(path: &str) -> std::io::Result<String> {
    Ok(said(fs::read_link(os(path))?.into_os_string()))
}

/// A source as the link contains it, and its absolute path.
fn places(path: &str, source: &str) -> (String, String) {
    if source.starts_with('/') {
        return (source.into(), source.into());
    }
    let to = if source.starts_with('.') {
        source.to_owned()
    } else {
        format!("./{source}")
    };
    let absolute = seen_from(path, &to);
    (to, absolute)
}

impl Agent {
    /// Keeps a link of the promised type.
    pub(super) fn keep_link(&mut self, task: &mut Task, path: &str, source: &str) -> Step<()> {
        let patterns = task.promise.texts("copy_patterns");
        if self.match_any(&patterns, last_node(path)) {
            self.verbose(|| format!("Link '{path}' matches copy_patterns"));
            // For a child of a directory too, cf-agent copies the promise's own source.
            let source = task.text("source").unwrap_or(source).to_owned();
            return self.copy_one(task, &source, path);
        }
        self.link(task, path, source, NoSource::of(task));
        Ok(())
    }

    /// Creates a link of the promised type.
    pub(super) fn link(&mut self, task: &mut Task, path: &str, source: &str, absent: NoSource) {
        match task.text("link_type") {
            Some("hardlink") => self.keep_hard_link(task, path, source),
            Some("relative") => self.keep_relative_link(task, path, source, absent),
            Some("absolute") => self.keep_absolute_link(task, path, source, absent),
            _ => self.keep_symlink(task, path, source, absent),
        }
    }

    fn keep_symlink(&mut self, task: &mut Task, path: &str, source: &str, absent: NoSource) {
        let (to, absolute) = places(path, source);
        self.mirror(&task.promise, &absolute);
        let there = fs::metadata(self.disk(&absolute)).is_ok();
        if !there && absent == NoSource::Skip {
            self.verbose(|| format!("Source '{absolute}' for linking is absent"));
            let message = format!("Unable to create link '{path}' -> '{to}', no source");
            self.failed(task, message);
            return;
        }
        if !there && absent == NoSource::Delete {
            // In a simulation cf-agent maps the path twice, so it finds no link.
            self.remove_dead_link(task, &self.place(path));
            return;
        }
        let Ok(found) = read_link(&self.place(path)) else {
            self.make_new_link(task, path, source, &to);
            return;
        };
        let placed = source.starts_with('/') && found == self.place(source);
        if found == source || found == to || placed {
            let message = format!("Link '{path}' points to '{source}', promise kept");
            self.unchanged(task, message);
            return;
        }
        if !task.is("move_obstructions") {
            let message = format!(
                "Link '{path}' points to '{found}' not '{to}', but not moving obstructions"
            );
            self.failed(task, message);
            return;
        }
        if !self.may_change(task, format!("remove incorrect link '{path}'")) {
            return;
        }
        if fs::remove_file(self.disk(path)).is_err() {
            let message = format!("Error removing link '{path}' (points to '{found}' not '{to}')");
            self.failed(task, message);
            return;
        }
        self.changed(task, format!("Overrode incorrect link '{path}'"));
        self.make_symlink(task, path, source);
    }

    fn make_new_link(&mut self, task: &mut Task, path: &str, source: &str, to: &str) {
        if !self.may_change(task, format!("create link '{path}'")) {
            return;
        }
        let Some(made) = self.make_parents(task, path, task.is("move_obstructions")) else {
            return;
        };
        if made {
            let message = format!("Created parent directory for link '{path}'");
            self.changed(task, message);
        }
        if !self.move_obstruction(task, path) {
            let message =
                format!("Unable to create link '{path}' -> '{to}', failed to move obstruction");
            self.failed(task, message);
        } else if !self.make_symlink(task, path, source) {
            self.failed(task, format!("Unable to create link '{path}' -> '{to}'"));
        }
    }

    fn make_symlink(&mut self, task: &mut Task, path: &str, source: &str) -> bool {
        if !self.may_change(task, format!("link files '{path}' -> '{source}'")) {
            return false;
        }
        let to = self.target(path, source);
        match symlink(to, self.disk(path)) {
            Ok(()) => {
                self.changed(task, format!("Linked files '{path}' -> '{source}'"));
                true
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Couldn't link '{source}' to '{path}'. (symlink: {reason})");
                self.failed(task, message);
                false
            }
        }
    }

    /// Removes a dangling link, if the promise asks for it. True also if the path is no link.
    pub(super) fn remove_dead_link(&mut self, task: &mut Task, path: &str) -> bool {
        let from = self.place(path);
        let Ok(target) = read_link(&from) else {
            self.verbose(|| format!("Can't read link '{from}' while checking for deadlinks"));
            return true;
        };
        let place = if target.starts_with('/') {
            target.clone()
        } else {
            joined(&chopped(&from), &target)
        };
        let place = compressed(&place).unwrap_or(place);
        let asked = task.is("rmdeadlinks") || NoSource::of(task) == NoSource::Delete;
        if fs::metadata(os(&place)).is_ok() || !asked {
            return false;
        }
        self.verbose(|| {
            format!(
                "'{path}' is a link which points to '{target}', but the target doesn't seem to exist"
            )
        });
        if self.may_change(task, format!("remove dead link '{path}'")) {
            // cf-agent reports the removal even if it fails.
            let _ = fs::remove_file(os(&from));
            self.changed(task, format!("Removed dead link '{path}'"));
        }
        true
    }

    /// Moves an object out of the way of a link.
    pub(super) fn move_obstruction(&mut self, task: &mut Task, path: &str) -> bool {
        let Ok(meta) = fs::symlink_metadata(os(path)) else {
            return true;
        };
        if !task.is("move_obstructions") {
            self.failed(task, format!("Object '{path}' is obstructing promise"));
            return false;
        }
        let directory = meta.is_dir();
        let what = if directory {
            format!("move aside directory '{path}' obstructing")
        } else {
            format!("move aside object '{path}' obstructing promise")
        };
        if !self.may_change(task, what) {
            return false;
        }
        let stamped = [task.text("copy_backup"), task.text("edit_backup")];
        let stamp = if directory || stamped.contains(&Some("timestamp")) {
            self.stamp()
        } else {
            String::new()
        };
        let ending = if directory { ".dir" } else { "" };
        let place = self.place(path);
        let aside = format!("{place}{stamp}.cfsaved{ending}");
        if directory && fs::metadata(os(&aside)).is_ok() {
            let message =
                format!("Couldn't move directory '{path}' aside, since '{aside}' exists already");
            self.failed(task, message);
            return false;
        }
        if let Err(error) = fs::rename(os(&place), os(&aside)) {
            let reason = machine::reason(&error);
            let message = format!("Can't rename '{path}' to '{aside}'. (rename: {reason})");
            self.failed(task, message);
            return false;
        }
        if directory {
            self.changed(
                task,
                format!("Moved directory '{path}' to '{path}.cfsaved'"),
            );
            return true;
        }
        self.changed(
            task,
            format!("Moved obstructing object '{path}' to '{aside}'"),
        );
        if self.archive(task, &aside) {
            self.changed(task, format!("Archived '{aside}'"));
            // The repository has a copy.
            let _ = fs::remove_file(os(&aside));
        }
        true
    }
}
