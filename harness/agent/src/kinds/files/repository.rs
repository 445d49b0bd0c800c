//! Where backups go.

use super::path::{joined, os};
use super::record::Task;
use crate::context::Agent;
use crate::log::Level;
use crate::scan;
use std::fs;

impl Agent {
    /// What tells backups of several runs apart: `_1700000000_Tue_Nov_14_…`.
    pub(super) fn stamp(&self) -> String {
        let now = jiff::Zoned::now();
        let date = now.strftime("%a %b %e %H:%M:%S %Y").to_string();
        format!("_{}_{}", self.machine.started, scan::canonify(&date))
    }

    /// Copies a file to the repository, if there is one.
    pub(super) fn archive(&mut self, task: &Task, path: &str) -> bool {
        let default = self.control.files.repository.clone();
        let Some(repository) = task.text("repository").or(default.as_deref()) else {
            return false;
        };
        if task.text("copy_backup") == Some("false") {
            return true;
        }
        if !self.archived.insert(path.to_owned()) {
            let message = format!(
                "The file '{path}' has already been moved to the repository once. Multiple update will cause loss of backup."
            );
            self.say(Level::Info, message);
            return true;
        }
        let place = joined(repository, &scan::canonify(path));
        for (at, _) in place.match_indices('/').skip(1) {
            // What can't be made shows when the copy is written.
            let _ = super::create::make_directory(&place[..at], 0o700);
        }
        if fs::metadata(os(path)).is_err() {
            return true;
        }
        let copied = self.copies_content(path, &place, None);
        let said = if copied { "Moved" } else { "Failed to move" };
        let message = format!("{said} '{path}' to repository location '{place}'");
        self.say(Level::Info, message);
        copied
    }
}
