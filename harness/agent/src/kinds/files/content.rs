//! `content`: what a file holds, in full.

use super::path::os;
use super::record::Task;
use crate::context::Agent;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use stickler_policy::text;

/// Whether that is what a file holds; directories hold nothing.
pub(super) fn holds(path: &str, wanted: &[u8]) -> bool {
    match fs::read(os(path)) {
        Ok(found) => found == wanted,
        Err(error) => error.kind() == ErrorKind::IsADirectory && wanted.is_empty(),
    }
}

impl Agent {
    /// Fills a file with what is promised.
    pub(super) fn keep_content(&mut self, task: &mut Task, path: &str, content: &str) {
        let wanted = text::encode(content);
        if holds(path, &wanted) {
            return;
        }
        if !self.may_change(
            task,
            format!("update file '{path}' with content '{content}'"),
        ) {
            return;
        }
        let file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(os(path));
        let Ok(mut file) = file else {
            self.failed(task, format!("Cannot open file '{path}' for writing"));
            return;
        };
        match file.write_all(&wanted) {
            Ok(()) => {
                self.changed(
                    task,
                    format!("Updated file '{path}' with content '{content}'"),
                );
            }
            Err(_) => {
                let message = format!("Failed to update file '{path}' with content '{content}'");
                self.failed(task, message);
            }
        }
    }
}
