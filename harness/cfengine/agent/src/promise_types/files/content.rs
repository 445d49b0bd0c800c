//! `content`: the full content of a file.

use super::record::Task;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use cfengine_policy::text;
use rustix::fs::{Access, OFlags};
use std::io::{self, ErrorKind, Write};

impl Agent {
    /// Whether a file has this content; a directory counts as empty.
    pub(super) fn file_holds(&mut self, path: &str, wanted: &[u8]) -> bool {
        if rustix::fs::access(self.disk(path), Access::READ_OK).is_err() {
            return false;
        }
        match self.read_for_digest(&self.place(path)) {
            Ok(found) => found == wanted,
            Err(error) => error.kind() == ErrorKind::IsADirectory && wanted.is_empty(),
        }
    }

    /// Reads a file to compare it with others; reports an error.
    pub(super) fn read_for_digest(&mut self, path: &str) -> io::Result<Vec<u8>> {
        let content = self.read(path);
        if let Err(error) = &content
            && error.kind() != ErrorKind::IsADirectory
        {
            let reason = machine::reason(error);
            let message = format!("Cannot open file for hashing '{path}'. (fopen: {reason})");
            self.say(Severity::Info, message);
        }
        content
    }

    /// Writes the promised content to a file.
    pub(super) fn keep_content(&mut self, task: &mut Task, path: &str, content: &str) {
        let wanted = text::encode(content);
        if self.file_holds(path, &wanted) {
            return;
        }
        if !self.may_change(
            task,
            format!("update file '{path}' with content '{content}'"),
        ) {
            return;
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
        let Ok(mut file) = self.open(&self.place(path), flags) else {
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
