//! `changes`: files that the agent monitors.

use super::path::joined;
use super::record::Task;
use crate::context::{Agent, Reach};
use crate::log::Severity;
use crate::machine;
use std::fs::{self, Metadata};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::rc::Rc;

/// For how many minutes the class that reports a change lasts.
const ALERT: i64 = 10;

/// One field of a file's status: its index in the record, its current value, its three names in
/// messages, and its format.
type Row<'a> = (
    usize,
    i64,
    &'static str,
    &'static str,
    &'static str,
    &'a dyn Fn(i64) -> String,
);

impl Agent {
    fn watched(&mut self, key: &str) -> Option<serde_json::Value> {
        self.kept.watched.entries().get(key).cloned()
    }

    fn remember(&mut self, key: String, value: serde_json::Value) {
        self.kept.watched.put(key, value);
    }

    /// Whether the agent updates its records.
    fn updates(task: &Task) -> bool {
        task.is("update_hashes")
    }

    fn log_change(&mut self, task: &Task, path: &str, letter: char, message: &str) -> bool {
        let log = self.voice.options.workdir.join("state/file_changes.log");
        let line = format!(
            "{},{},{path},{letter},{message}\n",
            machine::now(),
            task.promise.id()
        );
        let mut file = fs::OpenOptions::new();
        let file = file.create(true).append(true).mode(0o600).open(log);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .is_ok()
    }

    /// Compares a file with its record.
    pub(super) fn watch_file(&mut self, task: &mut Task, path: &str, meta: &Metadata) {
        let what = task.text("report_changes").unwrap_or("none").to_owned();
        if meta.is_file() && matches!(&*what, "content" | "all") {
            self.watch_content(task, path);
        }
        if matches!(&*what, "stats" | "all") {
            self.watch_status(task, path, meta);
        }
    }

    fn watch_content(&mut self, task: &mut Task, path: &str) {
        let methods: &[&str] = match task.text("hash") {
            Some("best") => &["md5", "sha1"],
            None | Some("md5") => &["md5"],
            Some("sha1") => &["sha1"],
            Some("sha384") => &["sha384"],
            Some("sha512") => &["sha512"],
            _ => &["sha256"],
        };
        let content = self.read(path);
        if let Err(error) = &content {
            let reason = machine::reason(error);
            let message = format!("Cannot open file for hashing '{path}'. (fopen: {reason})");
            methods
                .iter()
                .for_each(|_| self.say(Severity::Info, &message));
        }
        let mut changed = false;
        for method in methods {
            changed = changed || self.watch_hash(task, path, method, &content);
        }
        if !changed || !self.may_record(task, format!("record integrity changes in '{path}'")) {
            return;
        }
        self.persist_class("checksum_alerts", ALERT, &[]);
        let tags = Rc::default();
        self.set_class("checksum_alerts", Reach::Namespace, &tags, None);
        if self.log_change(task, path, 'C', "Content changed") {
            self.changed(task, format!("Recorded integrity changes in '{path}'"));
        } else {
            let message = format!("Failed to record integrity changes in '{path}'");
            self.failed(task, message);
        }
    }

    /// Whether a file's content differs from its record.
    fn watch_hash(
        &mut self,
        task: &mut Task,
        path: &str,
        method: &str,
        content: &std::io::Result<Vec<u8>>,
    ) -> bool {
        let empty = Vec::new();
        let digest = crate::functions::digest(content.as_ref().unwrap_or(&empty), method);
        let mut digest = digest.unwrap_or_default();
        if content.is_err() {
            // cf-agent then compares a digest of zeros.
            digest = "0".repeat(digest.len());
        }
        let key = format!("H_{method}_{path}");
        let known = self.watched(&key);
        let found = known.is_some();
        if known.is_some_and(|known| known.as_str() == Some(&digest)) {
            self.unchanged(task, format!("File hash for {path} is correct"));
            return false;
        }
        if found {
            self.say(
                Severity::Info,
                format!("Hash '{method}' for '{path}' changed!"),
            );
            if let Some(comment) = task.promise.comment.clone() {
                self.verbose(|| format!("Preceding promise '{comment}'"));
            }
        }
        if !self.may_record(task, format!("record change of hash for file '{path}'")) {
            return true;
        }
        if found && !Self::updates(task) {
            let message = format!("Hash for file '{path}' changed, but not updating the records");
            self.failed(task, message);
            return true;
        }
        let action = if found { "Updated" } else { "Stored" };
        let shown = if *method == *"md5" { "MD5" } else { "SHA" };
        let message = format!("{action} {method} hash for '{path}' ({shown}={digest})");
        self.changed(task, message);
        self.remember(key, digest.into());
        found
    }

    fn watch_status(&mut self, task: &mut Task, path: &str, meta: &Metadata) {
        let now = serde_json::json!([
            meta.mode(),
            meta.uid(),
            meta.gid(),
            meta.dev(),
            meta.ino(),
            meta.mtime()
        ]);
        let key = format!("S_{path}");
        let Some(known) = self.watched(&key) else {
            let what = format!("write stat information for '{path}' to database");
            if self.may_store(task, what) {
                self.remember(key, now);
                let message = format!("Wrote stat information for '{path}' to database");
                self.changed(task, message);
            }
            return;
        };
        if known == now {
            self.unchanged(task, format!("No stat information change for '{path}'"));
            return;
        }
        let old = |at: usize| known[at].as_i64().unwrap_or(0);
        self.tell_status(task, path, meta, &old);
        if let Some(comment) = task.promise.comment.clone() {
            self.verbose(|| format!("Preceding promise '{comment}'"));
        }
        let what = format!("write stat information for '{path}' to database");
        if Self::updates(task) && self.may_store(task, what) {
            self.remember(key, now);
            let message = format!("Wrote stat information changes for '{path}' to database");
            self.changed(task, message);
        }
    }

    /// Does the same as [`Agent::may_record`]. A refused change overrides an earlier failure.
    fn may_store(&mut self, task: &mut Task, what: impl AsRef<str>) -> bool {
        let may = self.may_record(task, what);
        if !may {
            task.outcome = crate::outcome::Outcome::Warned;
        }
        may
    }

    fn tell_status(
        &mut self,
        task: &mut Task,
        path: &str,
        meta: &Metadata,
        old: &dyn Fn(usize) -> i64,
    ) {
        let date = |seconds| {
            let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
            let time = time.to_zoned(machine::zone());
            time.strftime("%a %b %e %H:%M:%S %Y").to_string()
        };
        let octal = |mode: i64| format!("{mode:04o}");
        let plain = |number: i64| number.to_string();
        let (mode, uid, gid) = (meta.mode().into(), meta.uid().into(), meta.gid().into());
        let device = i64::try_from(meta.dev()).unwrap_or(0);
        let inode = i64::try_from(meta.ino()).unwrap_or(0);
        let rows: [Row<'_>; 6] = [
            (0, mode, "Permissions", "Permission", "permissions", &octal),
            (1, uid, "Owner", "Owner", "ownership", &plain),
            (2, gid, "Group", "Group", "group", &plain),
            (3, device, "Device", "Device", "device", &plain),
            (4, inode, "inode", "", "", &plain),
            (
                5,
                meta.mtime(),
                "Last modified time",
                "Modified time",
                "mtime",
                &date,
            ),
        ];
        for (at, new, title, short, kind, show) in rows {
            if old(at) == new {
                continue;
            }
            let quote = if at == 5 { "'" } else { "" };
            let (from, to) = (show(old(at)), show(new));
            let message =
                format!("{title} for '{path}' changed {quote}{from}{quote} -> {quote}{to}{quote}");
            self.say(Severity::Notice, message);
            if short.is_empty()
                || !self.may_record(task, format!("record {kind} changes in '{path}'"))
            {
                continue;
            }
            if self.log_change(task, path, 'S', &format!("{short}: {from} -> {to}")) {
                self.changed(task, format!("Recorded {kind} changes in '{path}'"));
            } else {
                let message = format!("Failed to record {kind} changes in '{path}'");
                self.failed(task, message);
            }
        }
    }

    fn listed(&mut self, directory: &str) -> Vec<String> {
        let listed = self.watched(&format!("D_{directory}")).unwrap_or_default();
        let names = listed.as_array().into_iter().flatten();
        names
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect()
    }

    /// Reports a file that is new in its directory.
    pub(super) fn note_new_file(&mut self, task: &mut Task, directory: &str, name: &str) {
        if !self.listed(directory).iter().any(|known| known == name) {
            let path = joined(directory, name);
            self.say(Severity::Notice, format!("New file '{path}' found"));
            self.log_change(task, &path, 'N', "New file found");
        }
    }

    /// Compares a directory with its record.
    pub(super) fn watch_directory(&mut self, task: &mut Task, path: &str, mut names: Vec<String>) {
        names.sort();
        let known = self.listed(path);
        if names.iter().any(|name| !known.contains(name)) {
            task.add(crate::outcome::Outcome::Repaired);
        }
        for name in known.iter().filter(|name| !names.contains(name)) {
            let gone = joined(path, name);
            self.say(Severity::Notice, format!("File '{gone}' no longer exists"));
            if self.may_store(task, format!("record removal of '{gone}'")) {
                self.log_change(task, &gone, 'R', "File removed");
                self.changed(task, format!("Removal of '{gone}' recorded"));
            }
        }
        if !self.may_store(task, format!("record directory listing for '{path}'")) {
            return;
        }
        if !Self::updates(task) {
            let message = format!("Failed to record directory listing for '{path}'");
            let before = task.outcome;
            self.changed(task, message);
            task.outcome = before.and(crate::outcome::Outcome::Failed);
        } else if names == known {
            if !names.is_empty() {
                self.verbose(|| "No changes in directory list".into());
            }
        } else {
            self.remember(format!("D_{path}"), names.into());
            self.changed(task, format!("Recorded directory listing for '{path}'"));
        }
    }
}
