//! Hard links.

use super::super::record::Task;
use super::places;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use std::fs;
use std::os::unix::fs::MetadataExt;

impl Agent {
    pub(super) fn keep_hard_link(&mut self, task: &mut Task, path: &str, source: &str) {
        let (to, absolute) = places(path, source);
        self.mirror(&task.promise, &absolute);
        let source = fs::metadata(self.disk(&absolute));
        let Some(source) = source.ok().filter(fs::Metadata::is_file) else {
            let message =
                format!("Source file '{to}' is not a regular file, not appropriate to hard-link");
            self.failed(task, message);
            return;
        };
        let Ok(found) = fs::metadata(self.disk(path)) else {
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
        let replicated = if self.simulates() {
            " (but hardlinks are always replicated to the changes chroot)"
        } else {
            ""
        };
        let message = format!("'{path}' does not appear to be a hard link to '{to}'{replicated}");
        self.say(Severity::Info, message);
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

    pub(in super::super) fn make_hard_link(&mut self, task: &mut Task, path: &str, to: &str) {
        if !self.may_change(task, format!("hard link files '{path}' -> '{to}'")) {
            return;
        }
        // A relative target is resolved against the working directory.
        match fs::hard_link(self.disk(&self.at(to)), self.disk(path)) {
            Ok(()) => self.changed(task, format!("Hard linked file '{path}' -> '{to}'")),
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Failed to hard link '{to}' to '{path}'. (link: {reason})");
                self.failed(task, message);
            }
        }
    }
}
