//! Creates, updates or links copies.

use super::super::link::NoSource;
use super::super::path::{chopped, joined, last_node, os, said, with_slash};
use super::super::record::Task;
use super::Tree;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::outcome::Outcome;
use crate::stop::Step;
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};

impl Agent {
    /// Creates a copy that does not exist yet.
    pub(super) fn copy_new(
        &mut self,
        task: &mut Task,
        source: &str,
        path: &str,
        meta: &Metadata,
        tree: &mut Tree,
    ) -> Step<()> {
        if meta.is_symlink() {
            return self.link_copy(task, source, path, meta, tree);
        }
        if meta.is_dir() {
            return Ok(());
        }
        if !meta.is_file() {
            self.copy_special(task, path, meta);
            return Ok(());
        }
        if !self.may_change(task, format!("copy '{path}' to '{source}'")) {
            return Ok(());
        }
        self.verbose(|| {
            format!("'{path}' wasn't at destination, copying from 'localhost:{source}'")
        });
        if self.copy_regular(task, source, path, meta, tree) {
            match fs::metadata(self.disk(path)) {
                Ok(copy) => self.keep_copied_attributes(task, path, meta, &copy),
                Err(error) => {
                    let reason = machine::reason(&error);
                    let message = format!("Can't stat destination file '{path}'. (stat: {reason})");
                    self.say(Severity::Error, message);
                }
            }
            let message = format!("Updated file '{path}' from 'localhost:{source}'");
            self.changed(task, message);
            self.note_single_copy(path, true);
            self.define_for_copy(path);
        } else {
            self.failed(task, format!("Copy from 'localhost:{source}' failed"));
        }
        Ok(())
    }

    fn copy_special(&mut self, task: &mut Task, path: &str, meta: &Metadata) {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let fifo = meta.file_type().is_fifo();
        let (what, done, cannot) = if fifo {
            let what = format!("create FIFO '{path}'");
            (what, format!("Created fifo '{path}'"), "fifo")
        } else {
            let what = format!("make special file/device '{path}'");
            let done = format!("Created special file/device '{path}'.");
            (what, done, "special file")
        };
        if !self.may_change(task, what) {
            return;
        }
        let (kind, mode) = (FileType::from_raw_mode(meta.mode()), meta.mode() & 0o7777);
        match mknodat(
            CWD,
            self.disk(path),
            kind,
            Mode::from_raw_mode(mode),
            meta.rdev(),
        ) {
            Ok(()) => self.changed(task, done),
            Err(error) => {
                let reason = machine::reason(&error.into());
                let call = if fifo { "mkfifo" } else { "mknod" };
                let message = format!("Cannot create {cannot} '{path}'. ({call}: {reason})");
                self.failed(task, message);
            }
        }
    }

    /// Updates a copy that differs from its source.
    pub(super) fn copy_again(
        &mut self,
        task: &mut Task,
        source: &str,
        path: &str,
        (meta, copy): (&Metadata, &Metadata),
        tree: &mut Tree,
    ) -> Step<()> {
        self.verbose(|| format!("Destination file '{path}' already exists"));
        if task.text("compare") == Some("exists") {
            self.unchanged(task, "Existence only is promised, no copying required");
            return Ok(());
        }
        let stale = task.is("force_update") || self.is_stale(task, (source, path), (meta, copy));
        if task.is("type_check") && meta.mode() >> 12 != copy.mode() >> 12 {
            let message = format!(
                "Promised file copy {path} exists but type mismatch with source '{source}'"
            );
            self.failed(task, message);
            return Ok(());
        }
        if !stale && !meta.is_symlink() {
            self.keep_copied_attributes(task, path, meta, copy);
            self.note_single_copy(path, false);
            let message = format!("File '{path}' is an up to date copy of source");
            self.unchanged(task, message);
            return Ok(());
        }
        if meta.is_symlink() {
            return self.link_copy(task, source, path, meta, tree);
        }
        if !meta.is_file() {
            return Ok(());
        }
        if !self.may_change(
            task,
            format!("update file '{path}' from '{source}' on 'localhost'"),
        ) {
            return Ok(());
        }
        self.define_for_copy(path);
        if self.copy_regular(task, source, path, meta, tree) {
            match fs::metadata(self.disk(path)) {
                Ok(copy) => {
                    let message = format!("Updated '{path}' from source '{source}' on 'localhost'");
                    self.changed(task, message);
                    self.keep_copied_attributes(task, path, meta, &copy);
                }
                Err(error) => {
                    let reason = machine::reason(&error);
                    let message = format!("Can't stat destination '{path}'. (stat: {reason})");
                    self.interrupted(task, message);
                }
            }
            self.note_single_copy(path, false);
        } else {
            let message = format!("Was not able to copy '{source}' on 'localhost' to '{path}'");
            self.failed(task, message);
        }
        Ok(())
    }

    /// Links instead of copying: for a link in the source, and for files that the promise wants
    /// linked.
    pub(super) fn link_copy(
        &mut self,
        task: &mut Task,
        source: &str,
        path: &str,
        meta: &Metadata,
        tree: &mut Tree,
    ) -> Step<()> {
        let place = self.newest(source);
        // cf-agent forgets the name of a source that the simulation has copied.
        let forgotten = *place != *source;
        let mut target = match forgotten {
            true => String::new(),
            false => source.to_owned(),
        };
        if meta.is_symlink() {
            let Ok(found) = fs::read_link(os(&place)) else {
                self.failed(task, format!("Can't read link '{source}'"));
                return Ok(());
            };
            target = self.without_root(&said(found.into_os_string())).to_owned();
            self.verbose(|| format!("Checking link from '{path}' to '{target}'"));
            let absolute = task.text("link_type") == Some("absolute");
            if absolute && !forgotten && !target.starts_with('/') {
                target = joined(&with_slash(&chopped(source)), &target);
            }
        }
        let copied = task.promise.texts("copylink_patterns");
        if self.match_any(&copied, last_node(source)) {
            let expanded = self.expand_links(&place, 0);
            let target = match (expanded, forgotten) {
                (Some(expanded), _) => expanded,
                (None, true) => self.place(&target).into_owned(),
                (None, false) => target,
            };
            let target = self.without_root(&target).to_owned();
            self.verbose(|| {
                format!("Link item in copy '{source}' marked for copying from '{target}' instead")
            });
            return match fs::metadata(os(&self.newest(&target))) {
                Ok(meta) => self.copy_file(task, &target, path, &meta, tree),
                Err(_) => Ok(()),
            };
        }
        if target.is_empty() && task.text("link_type") == Some("relative") {
            let message = format!("'{path}' is not linked: cf-agent 3.21.0 would crash here");
            self.failed(task, message);
            return Ok(());
        }
        let mut own = Task::new(task.promise.clone(), task.perms.clone());
        self.link(&mut own, path, &target, NoSource::Force);
        if matches!(own.outcome, Outcome::Kept | Outcome::Repaired) {
            match fs::symlink_metadata(self.disk(path)) {
                Ok(copy) => self.keep_copied_attributes(task, path, meta, &copy),
                Err(error) => {
                    let reason = machine::reason(&error);
                    self.failed(task, format!("Can't lstat '{path}'. (lstat: {reason})"));
                }
            }
        }
        Ok(())
    }
}
