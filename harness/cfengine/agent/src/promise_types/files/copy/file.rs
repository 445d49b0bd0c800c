//! Copies one regular file: first to a temporary file next to it, then by rename.

use super::super::path::{os, without_slash};
use super::super::record::Task;
use super::Tree;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use rustix::fs::OFlags;
use std::fs::{self, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;

/// Where a copy failed.
enum Fault {
    Source(io::Error),
    Target(io::Error),
    Content(io::Error),
}

/// Copies blocks; a block of zeros becomes a hole.
fn copy_blocks(source: &mut fs::File, target: &mut fs::File, size: u64) -> io::Result<()> {
    let (mut block, mut length) = (Vec::new(), 0);
    loop {
        block.clear();
        let read = source.take(size).read_to_end(&mut block)?;
        if read == 0 {
            // A hole at the end needs an explicit length.
            return target.set_len(length);
        }
        if block.iter().all(|byte| *byte == 0) {
            target.seek(SeekFrom::Current(read as i64))?;
        } else {
            target.write_all(&block)?;
        }
        length += read as u64;
    }
}

impl Agent {
    fn same_bytes(&mut self, one: &str, other: &str) -> bool {
        match (self.read(one), self.read(other)) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        }
    }

    /// Whether two files are equal; two unreadable files count as equal.
    fn same_digest(&mut self, one: &str, other: &str) -> bool {
        match (self.read_for_digest(one), self.read_for_digest(other)) {
            (Ok(one), Ok(other)) => one == other,
            (one, other) => one.is_err() && other.is_err(),
        }
    }

    /// Copies a file's content into a new file. Without a mode, the new file gets its source's
    /// mode; the umask applies.
    fn copy_content(&mut self, from: &str, to: &str, mode: Option<u32>) -> Result<(), Fault> {
        let mut source = self.open(from, OFlags::RDONLY).map_err(Fault::Source)?;
        let own = source.metadata().map_err(Fault::Source)?;
        // An existing file is not worth keeping; an error shows below.
        let _ = fs::remove_file(os(to));
        let mode = mode.unwrap_or(own.mode() & 0o7777);
        let mut target = self.make(to, mode).map_err(Fault::Target)?;
        copy_blocks(&mut source, &mut target, own.blksize()).map_err(|error| {
            // A partial copy is removed.
            let _ = fs::remove_file(os(to));
            Fault::Content(error)
        })
    }

    /// Does the same as [`Agent::copy_content`]; reports an error.
    pub(crate) fn copies_content(&mut self, from: &str, to: &str, mode: Option<u32>) -> bool {
        let Err(fault) = self.copy_content(from, to, mode) else {
            return true;
        };
        let (level, message) = match fault {
            Fault::Source(error) => {
                let reason = machine::reason(&error);
                let message = format!("Can't copy '{from}' (open: {reason})");
                (Severity::Info, message)
            }
            Fault::Target(error) => {
                let reason = machine::reason(&error);
                let message = format!(
                    "Unable to open destination file while copying '{from}' to '{to}' (open: {reason})"
                );
                (Severity::Info, message)
            }
            Fault::Content(error) => {
                let reason = machine::reason(&error);
                let message = format!(
                    "Unable to read source file while copying '{from}' to '{to}' (read: {reason})"
                );
                (Severity::Error, message)
            }
        };
        self.say(level, message);
        false
    }

    /// Whether a copy is outdated, by the method in `compare`.
    pub(super) fn is_stale(
        &mut self,
        task: &Task,
        (source, path): (&str, &str),
        (meta, copy): (&Metadata, &Metadata),
    ) -> bool {
        let (from, to) = (self.copy_of_known(source), self.place(path));
        let older = copy.ctime() < meta.ctime() || copy.mtime() < meta.mtime();
        let regular = meta.is_file() && copy.is_file();
        let size = copy.size() == meta.size();
        let default = self.voice.control.files.compare.clone();
        let compare = task.text("compare").or(default.as_deref());
        let compare = compare.unwrap_or("ctime");
        let (stale, said) = match compare {
            "digest" | "hash" | "binary" => {
                let digest = compare != "binary";
                if !regular {
                    let how = if digest { "Checksum" } else { "Byte" };
                    self.verbose(|| {
                        format!("{how} comparison replaced by ctime: files not regular")
                    });
                }
                let said = if digest {
                    format!(
                        "Image file '{path}' has a wrong digest/checksum, should be copy of '{source}'"
                    )
                } else {
                    format!(
                        "Image file {path} has a wrong binary checksum, should be copy of '{source}'"
                    )
                };
                let stale = match (regular, digest) {
                    (false, _) => older,
                    (true, false) => !size || !self.same_bytes(&from, &to),
                    (true, true) => !size || !self.same_digest(&from, &to),
                };
                if !digest && regular && stale && size {
                    self.verbose(|| "Binary Comparison mismatch...".into());
                }
                (stale, said)
            }
            "atime" => {
                let said =
                    format!("Image file '{path}' seems out of date, should be copy of '{source}'");
                (older || !size || !self.same_bytes(&from, &to), said)
            }
            other => {
                let stale = if other == "mtime" {
                    copy.mtime() < meta.mtime()
                } else {
                    older
                };
                let said = format!("Image file '{path}' out of date, should be copy of '{source}'");
                (stale, said)
            }
        };
        if stale {
            self.verbose(|| said);
        }
        stale
    }

    /// Copies a regular file.
    pub(super) fn copy_regular(
        &mut self,
        task: &mut Task,
        source: &str,
        path: &str,
        meta: &Metadata,
        tree: &mut Tree,
    ) -> bool {
        if !self.may_change(task, format!("copy '{source}' to '{path}'")) {
            return false;
        }
        if meta.nlink() > 1
            && let Some(first) = tree.copies.get(&meta.ino()).cloned()
            && first != path
        {
            // In a simulation cf-agent maps the path twice, so the two were not one file.
            self.mirror(&task.promise, &first);
            if fs::remove_file(self.disk(path)).is_ok() {
                self.changed(task, format!("Removed '{path}'"));
            }
            self.make_hard_link(task, path, &first);
            return true;
        }
        let new = format!("{}.cfnew", without_slash(path));
        let there = fs::metadata(self.disk(path)).ok();
        let preserve = task.is("preserve");
        let fresh = there.as_ref().map_or(0o600, |copy| copy.mode() & 0o777);
        if !self.copies_content(
            &self.newest(source),
            &self.place(&new),
            (!preserve).then_some(fresh),
        ) {
            self.failed(task, format!("Failed copying file '{source}' to '{new}'"));
            return false;
        }
        let how = if preserve {
            "(permissions preserved)".to_owned()
        } else {
            format!("(mode '{fresh:o}')")
        };
        self.changed(task, format!("Copied file '{source}' to '{new}' {how}"));
        if task.is("stealth") {
            set_times(&self.newest(source), meta);
        }
        self.verbose(|| format!("Copy of regular file succeeded '{source}' to '{new}'"));
        let backup = match &there {
            Some(copy) => self.back_up(task, path, copy),
            None => None,
        };
        self.install(task, source, path, &new, meta, backup.as_deref())
    }

    /// Moves the new copy to its final path.
    fn install(
        &mut self,
        task: &mut Task,
        source: &str,
        path: &str,
        new: &str,
        meta: &Metadata,
        backup: Option<&str>,
    ) -> bool {
        if task.is("verify") {
            self.verbose(|| "Final verification of transmission ...".into());
            if !self.same_digest(source, &self.place(new)) {
                let message =
                    format!("New file '{new}' seems to have been corrupted in transit, aborting.");
                self.failed(task, message);
                self.restore(task, path, backup);
                return false;
            }
            self.verbose(|| format!("New file '{new}' transmitted correctly - verified"));
        }
        if let Err(error) = fs::rename(self.disk(new), self.disk(path)) {
            let reason = machine::reason(&error);
            let message = format!(
                "Could not install copy file as '{path}', directory in the way?. (rename: {reason})"
            );
            self.failed(task, message);
            self.restore(task, path, backup);
            return false;
        }
        self.changed(task, format!("Moved '{new}' to '{path}'"));
        if let Some(backup) = backup
            && self.archive(task, backup)
        {
            self.changed(task, format!("Archived backup '{backup}'"));
            if fs::remove_file(self.disk(backup)).is_err() {
                let message = format!("Failed to clean backup '{backup}' after archiving");
                self.failed(task, message);
            }
        }
        if task.is("stealth") {
            set_times(&self.place(path), meta);
        }
        true
    }

    /// Moves an old copy away; returns its new path.
    fn back_up(&mut self, task: &mut Task, path: &str, copy: &Metadata) -> Option<String> {
        let how = task.text("copy_backup");
        if how == Some("false") {
            if copy.is_dir() {
                self.remove_directory(task, path, "directory");
            }
            return None;
        }
        let stamp = if how == Some("timestamp") {
            self.stamp()
        } else {
            String::new()
        };
        let backup = format!("{}{stamp}.cfsaved", without_slash(path));
        self.verbose(|| format!("Backup for '{path}' is '{backup}'"));
        if let Ok(old) = fs::symlink_metadata(self.disk(&backup)) {
            if old.is_dir() {
                self.remove_directory(task, &backup, "old backup directory");
            }
            if fs::remove_file(self.disk(&backup)).is_ok() {
                self.changed(task, format!("Removed old backup '{backup}'"));
            } else {
                self.failed(task, format!("Failed to remove old backup '{backup}'"));
            }
        }
        if self.moves_old(path, &backup) {
            self.changed(task, format!("Backed up '{path}' as '{backup}'"));
        } else {
            self.failed(task, format!("Failed to back up '{path}' as '{backup}'"));
        }
        Some(backup)
    }

    /// Moves an old copy away. In a simulation, cf-agent moves the real file, and loses it when it
    /// deletes the copies. The reference agent leaves that file alone.
    fn moves_old(&mut self, path: &str, backup: &str) -> bool {
        if !self.simulates() {
            return fs::rename(os(path), os(backup)).is_ok();
        }
        let Ok(there) = fs::symlink_metadata(os(path)) else {
            return false;
        };
        if self.note_taken(path) {
            self.warn(&format!(
                "'{path}' is left alone: cf-agent 3.21.0 would lose it here, where it simulates a copy\n"
            ));
        }
        // Creates a file of the same type in place of the backup; opening a pipe would block.
        let backup = self.disk(backup);
        match () {
            () if there.is_file() => fs::copy(os(path), backup).is_ok(),
            () if there.is_dir() => fs::create_dir(backup).is_ok(),
            () => fs::File::create(backup).is_ok(),
        }
    }

    fn remove_directory(&mut self, task: &mut Task, path: &str, what: &str) {
        let before = task.outcome;
        self.purge(task, path, &[]);
        task.outcome = before;
        if fs::remove_dir(self.disk(path)).is_ok() {
            self.changed(task, format!("Removed {what} '{path}'"));
        } else {
            self.failed(task, format!("Failed to remove {what} '{path}'"));
        }
    }

    fn restore(&mut self, task: &mut Task, path: &str, backup: Option<&str>) {
        let restored =
            backup.is_some_and(|backup| fs::rename(self.disk(backup), self.disk(path)).is_ok());
        let backup = backup.unwrap_or_default();
        if restored {
            self.changed(task, format!("Restored '{path}' from '{backup}'"));
        } else {
            self.failed(task, format!("Could not restore '{path}' as '{backup}'"));
        }
    }
}

/// Copies the times of another file.
fn set_times(path: &str, meta: &Metadata) {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
    let time = |tv_sec| Timespec { tv_sec, tv_nsec: 0 };
    let times = Timestamps {
        last_access: time(meta.atime()),
        last_modification: time(meta.mtime()),
    };
    // A copy is valid even if its times can't be set.
    let _ = utimensat(CWD, os(path), &times, AtFlags::empty());
}
