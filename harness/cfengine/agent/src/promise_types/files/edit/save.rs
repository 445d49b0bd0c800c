//! Writes an edited file, with a backup.

use super::super::lines::Lines;
use super::super::path::{chopped, joined, os, said};
use super::super::record::Task;
use super::{Edit, is_templated};
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::outcome::Outcome;
use cfengine_policy::text;
use rustix::fs::OFlags;
use std::fs;
use std::io::Write;

impl Agent {
    /// Saves the edits, if there are any.
    pub(super) fn finish_edits(&mut self, task: &mut Task, edit: &Edit) {
        if !matches!(task.outcome, Outcome::Kept | Outcome::Repaired) {
            return;
        }
        let path = edit.path.clone();
        if edit.count == 0 {
            let message = format!("No edit changes to file '{path}' need saving");
            self.unchanged(task, message);
            return;
        }
        if !self.is_same(task, edit) && !self.may_change(task, format!("edit file '{path}'")) {
            return;
        }
        if task.promise.get("edit_line").is_none() && !is_templated(task) {
            return;
        }
        if self.is_same(task, edit) {
            let message = format!("No edit changes to file '{path}' need saving");
            self.unchanged(task, message);
            return;
        }
        let mut content = String::new();
        for line in edit.lines.texts() {
            content.push_str(line);
            content.push('\n');
        }
        if self.save(task, &path, &text::encode(&content)) {
            self.changed(task, format!("Edited file '{path}'"));
        } else {
            let message = format!("Unable to save file '{path}' after editing");
            self.failed(task, message);
        }
    }

    /// Whether a file already has its edited lines. If the promise only allows warnings, the
    /// differences are reported.
    fn is_same(&mut self, task: &mut Task, edit: &Edit) -> bool {
        let Ok(meta) = fs::metadata(self.disk(&edit.path)) else {
            return false;
        };
        if edit.lines.first().is_none() {
            return meta.len() == 0;
        }
        let Some(old) = self.load_lines(task, &edit.path, false) else {
            return false;
        };
        if !task.promise.only_warns() {
            return old.texts().eq(edit.lines.texts());
        }
        self.warn_of_lines(task, &old, &edit.lines)
    }

    fn warn_of_lines(&mut self, task: &mut Task, old: &Lines, new: &Lines) -> bool {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.texts().collect(), new.texts().collect());
        let mut same = true;
        for at in 0..old.len().max(new.len()) {
            let message = match (old.get(at), new.get(at)) {
                (Some(old), Some(new)) if old == new => continue,
                (Some(old), Some(_)) => format!("edit_line warning promised: - {old}"),
                _ if old.is_empty() || new.is_empty() => {
                    "File content wants to change from from/to full/empty but only a warning promised".into()
                }
                (Some(old), None) => {
                    format!(" ! edit_line change warning promised: (remove) {old}")
                }
                (_, new) => format!(
                    " ! edit_line change warning promised: (add) {}",
                    new.unwrap_or(&"")
                ),
            };
            same = false;
            let promise = task.promise.clone();
            self.conclude(Severity::Warning, Outcome::Warned, &promise, message);
            task.add(Outcome::Warned);
        }
        same
    }

    /// Writes a new file next to the old one, keeps the old one as a backup, and renames the new
    /// one.
    pub(in super::super) fn save(&mut self, task: &Task, path: &str, content: &[u8]) -> bool {
        let Some((place, shown)) = self.place_of(&self.place(path)) else {
            return false;
        };
        let stamp = match task.text("edit_backup") {
            Some("timestamp") => self.stamp(),
            _ => String::new(),
        };
        let backup = format!("{place}{stamp}.cf-before-edit");
        let new = format!("{place}.cf-after-edit");
        // An interrupted edit may have left one.
        let _ = fs::remove_file(os(&new));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
        let written = self.open(&new, flags);
        if let Err(error) = written.and_then(|mut file| file.write_all(content)) {
            let reason = machine::reason(&error);
            let message =
                format!("Unable to open destination file '{new}' for writing. (fopen: {reason})");
            self.say(Severity::Error, message);
            return false;
        }
        if !self.copies_permissions(&place, &new) {
            let message = format!(
                "Can't copy file permissions from {shown} to '{new}' - so promised edits could not be moved into place."
            );
            self.say(Severity::Error, message);
            return false;
        }
        let _ = fs::remove_file(os(&backup));
        let mut kept = true;
        if let Err(error) = fs::hard_link(os(&place), os(&backup)) {
            self.verbose(|| {
                let reason = machine::reason(&error);
                format!("Can't link {shown} to '{backup}' - falling back to copy. (link: {reason})")
            });
            kept = self.copies_content(&place, &backup, None);
        }
        if !kept {
            let message = format!(
                "Can't copy {shown} to '{backup}' - so promised edits could not be moved into place."
            );
            self.say(Severity::Error, message);
            return false;
        }
        self.place_backup(task, &backup);
        if let Err(error) = fs::rename(os(&new), os(&place)) {
            let reason = machine::reason(&error);
            let message = format!(
                "Can't rename '{new}' to {shown} - so promised edits could not be moved into place. (rename: {reason})"
            );
            self.say(Severity::Error, message);
            return false;
        }
        true
    }

    fn place_backup(&mut self, task: &Task, backup: &str) {
        let how = task.text("edit_backup");
        let mut goes = how == Some("false");
        if how == Some("rotate") {
            self.rotate(backup, task.promise.int("rotate").unwrap_or(1));
            goes = true;
        }
        if goes || self.archive(task, backup) {
            // Rotation may have renamed it already.
            let _ = fs::remove_file(os(backup));
        }
    }

    /// The target of a path's links, and how messages show it.
    fn place_of(&mut self, path: &str) -> Option<(String, String)> {
        const MOST: u32 = 40;
        let mut place = path.to_owned();
        let mut shown = format!("'{path}'");
        for _ in 0..MOST {
            let meta = match fs::symlink_metadata(os(&place)) {
                Ok(meta) => meta,
                Err(error) => {
                    let reason = machine::reason(&error);
                    let message = format!(
                        "Can no longer access file {shown}, which needed editing. (lstat: {reason})"
                    );
                    self.say(Severity::Error, message);
                    return None;
                }
            };
            if !meta.is_symlink() {
                return Some((place, shown));
            }
            let target = said(fs::read_link(os(&place)).ok()?.into_os_string());
            place = if target.starts_with('/') {
                target
            } else {
                joined(&chopped(&place), &target)
            };
            shown = format!("'{place}' (from symlink '{path}')");
        }
        None
    }
}
