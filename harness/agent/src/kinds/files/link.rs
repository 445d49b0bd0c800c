//! `link_from`: symbolic and hard links.

use super::path::{chopped, compressed, joined, last_node, os, said, seen_from};
use super::record::Task;
use super::search::names_in;
use crate::context::Agent;
use crate::log::Level;
use crate::machine;
use crate::stop::Step;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

/// What is done where a link's source is not there.
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

/// A source as a link says it, and where that is.
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
    /// Sees to a link of the promised type.
    pub(super) fn keep_link(&mut self, task: &mut Task, path: &str, source: &str) -> Step<()> {
        let patterns = task.promise.texts("copy_patterns");
        if self.match_any(&patterns, last_node(path)) {
            self.verbose(|| format!("Link '{path}' matches copy_patterns"));
            return self.copy_one(task, source, path);
        }
        self.link(task, path, source, NoSource::of(task));
        Ok(())
    }

    /// Makes a link of the type that the promise says.
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
        let there = fs::metadata(os(&absolute)).is_ok();
        if !there && absent == NoSource::Skip {
            self.verbose(|| format!("Source '{absolute}' for linking is absent"));
            let message = format!("Unable to create link '{path}' -> '{to}', no source");
            self.failed(task, message);
            return;
        }
        if !there && absent == NoSource::Delete {
            self.remove_dead_link(task, path);
            return;
        }
        let Ok(found) = read_link(path) else {
            self.make_new_link(task, path, source, &to);
            return;
        };
        if found == source || found == to {
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
        if fs::remove_file(os(path)).is_err() {
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
        match symlink(os(source), os(path)) {
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

    fn keep_absolute_link(&mut self, task: &mut Task, path: &str, source: &str, absent: NoSource) {
        let to = if source.starts_with('.') {
            joined(&chopped(path), source)
        } else {
            source.to_owned()
        };
        let to = compressed(&to).unwrap_or(to);
        let expanded = if absent == NoSource::Force {
            self.expand_links(&to, 0)
        } else {
            Some(to)
        };
        match expanded {
            Some(to) => {
                let to = compressed(&to).unwrap_or(to);
                self.keep_symlink(task, path, &to, absent);
            }
            None => {
                let message = format!("Failed to expand absolute link to '{source}'");
                self.failed(task, message);
                self.say_place(Level::Error, &task.promise.clone());
            }
        }
    }

    /// A path with its links followed, all but the last in full.
    pub(super) fn expand_links(&mut self, from: &str, level: u32) -> Option<String> {
        const MOST: u32 = 4;
        if level >= MOST {
            let message = "Too many levels of symbolic links to evaluate absolute path";
            self.say(Level::Error, message);
            return None;
        }
        let mut out = String::new();
        let nodes: Vec<&str> = from.split('/').filter(|node| !node.is_empty()).collect();
        for (at, node) in nodes.iter().enumerate() {
            match *node {
                "." => continue,
                ".." => {
                    out.push_str("/..");
                    continue;
                }
                _ => out = format!("{out}/{node}"),
            }
            let meta = match fs::symlink_metadata(os(&out)) {
                Ok(meta) => meta,
                Err(error) => {
                    let reason = machine::reason(&error);
                    let message = format!("Can't stat '{out}' in ExpandLinks. (lstat: {reason})");
                    self.say(Level::Error, message);
                    return None;
                }
            };
            if !meta.is_symlink() {
                continue;
            }
            let Ok(target) = read_link(&out) else {
                return None;
            };
            out = if target.starts_with('/') {
                target
            } else {
                joined(&chopped(&out), &target)
            };
            if out == from {
                return Some(out);
            }
            if at + 1 < nodes.len() {
                self.expand_links(&out.clone(), level + 1)?;
            }
        }
        Some(out)
    }

    fn keep_relative_link(&mut self, task: &mut Task, path: &str, source: &str, absent: NoSource) {
        if source.starts_with('.') {
            self.keep_symlink(task, path, source, absent);
            return;
        }
        let Some(to) = compressed(source) else {
            self.failed(task, format!("Failed to link '{path}' to '{source}'"));
            return;
        };
        if to == path {
            let message =
                format!("Failed to link '{path}' to '{source}', can't link file '{to}' to itself");
            self.failed(task, message);
            return;
        }
        let common = to.bytes().zip(path.bytes()).take_while(|(a, b)| a == b);
        let common = common.count().min(to.len() - 1).min(path.len() - 1);
        let shared = (0..=common)
            .rev()
            .find(|at| to.as_bytes()[*at] == b'/' && path.as_bytes()[*at] == b'/');
        let shared = shared.unwrap_or(0);
        let levels = path[shared..].matches('/').count();
        let mut relative = String::from("./");
        for _ in 1..levels {
            relative = joined(&relative, "../");
        }
        let relative = joined(&relative, &to[shared + 1..]);
        self.keep_symlink(task, path, &relative, absent);
    }

    fn keep_hard_link(&mut self, task: &mut Task, path: &str, source: &str) {
        let (to, absolute) = places(path, source);
        let source = fs::metadata(os(&absolute));
        let Some(source) = source.ok().filter(fs::Metadata::is_file) else {
            let message =
                format!("Source file '{to}' is not a regular file, not appropriate to hard-link");
            self.failed(task, message);
            return;
        };
        let Ok(found) = fs::metadata(os(path)) else {
            self.make_hard_link(task, path, &to);
            return;
        };
        if found.ino() != source.ino() && found.dev() != source.dev() {
            self.verbose(|| {
                format!(
                    "If this is POSIX, unable to determine if {path} is hard link is correct since it points to a different filesystem"
                )
            });
            if found.mode() == source.mode() && found.size() == source.size() {
                let message =
                    format!("Hard link '{path}' -> '{to}' on different device appears okay");
                self.unchanged(task, message);
                return;
            }
        }
        if found.ino() == source.ino() && found.dev() == source.dev() {
            let message = format!("Hard link '{path}' -> '{to}' exists and is okay");
            self.unchanged(task, message);
            return;
        }
        let message = format!("'{path}' does not appear to be a hard link to '{to}'");
        self.say(Level::Info, message);
        if !self.may_change(task, format!("hard link '{path}' -> '{to}'")) {
            return;
        }
        if self.move_obstruction(task, path) {
            self.make_hard_link(task, path, &to);
        } else {
            let message = format!(
                "Unable to create hard link '{path}' -> '{to}', failed to move obstruction"
            );
            self.failed(task, message);
        }
    }

    pub(super) fn make_hard_link(&mut self, task: &mut Task, path: &str, to: &str) {
        if !self.may_change(task, format!("hard link files '{path}' -> '{to}'")) {
            return;
        }
        match fs::hard_link(os(to), os(path)) {
            Ok(()) => self.changed(task, format!("Hard linked file '{path}' -> '{to}'")),
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Failed to hard link '{path}' to '{to}'. (link: {reason})");
                self.failed(task, message);
            }
        }
    }

    /// Removes a link that leads nowhere, if that is promised. True too if the
    /// path is no link.
    pub(super) fn remove_dead_link(&mut self, task: &mut Task, path: &str) -> bool {
        let Ok(target) = read_link(path) else {
            self.verbose(|| format!("Can't read link '{path}' while checking for deadlinks"));
            return true;
        };
        let place = if target.starts_with('/') {
            target.clone()
        } else {
            joined(&chopped(path), &target)
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
            // What can't be removed is told of as removed, too.
            let _ = fs::remove_file(os(path));
            self.changed(task, format!("Removed dead link '{path}'"));
        }
        true
    }

    /// Links all that is in a directory from another one.
    pub(super) fn link_children(
        &mut self,
        task: &mut Task,
        path: &str,
        source: &str,
        level: i64,
    ) -> Step<()> {
        self.tick()?;
        match fs::symlink_metadata(os(path)) {
            Ok(meta) if task.is("move_obstructions") && meta.is_symlink() => {
                if fs::remove_file(os(path)).is_ok() {
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
        let names = match names_in(source) {
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
            self.link_child(task, &joined(path, &name), &joined(source, &name), level)?;
        }
        Ok(())
    }

    fn link_child(&mut self, task: &mut Task, path: &str, source: &str, level: i64) -> Step<()> {
        let there = fs::symlink_metadata(os(path));
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
        if deeper && fs::symlink_metadata(os(source)).is_ok_and(|meta| meta.is_dir()) {
            self.link_children(task, path, source, level + 1)
        } else {
            self.keep_link(task, path, source)
        }
    }

    /// Moves away what stands in the way of a link.
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
        let aside = format!("{path}{stamp}.cfsaved{ending}");
        if directory && fs::metadata(os(&aside)).is_ok() {
            let message =
                format!("Couldn't move directory '{path}' aside, since '{aside}' exists already");
            self.failed(task, message);
            return false;
        }
        if let Err(error) = fs::rename(os(path), os(&aside)) {
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
            // It is kept in the repository.
            let _ = fs::remove_file(os(&aside));
        }
        true
    }
}
