//! `content`: what a file holds, in full.

use super::path::os;
use super::record::Task;
use crate::context::Agent;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use stickler_policy::text;

impl Agent {
    /// Fills a file with what is promised.
    pub(super) fn keep_content(&mut self, task: &mut Task, path: &str, content: &str) {
        let wanted = text::encode(content);
        if std::fs::read(os(path)).is_ok_and(|found| found == *wanted) {
            return;
        }
        if !self.may_change(
            task,
            format!("update file '{path}' with content '{content}'"),
        ) {
            return;
        }
        let file = std::fs::OpenOptions::new()
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
