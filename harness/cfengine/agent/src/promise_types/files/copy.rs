//! `copy_from`: copies of files and trees on this host.

mod again;
mod file;
mod purge;
mod tree;

use super::leaf::is_ignored;
use super::mode::Mask;
use super::path::{joined, last_node, os, with_slash, without_slash};
use super::perms::{Accounts, Perms};
use super::record::Task;
use super::refuse::is_remote;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::stop::{Step, Stop};
use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

/// The state of a tree's copy: the copy of each source inode.
#[derive(Default)]
pub(super) struct Tree {
    copies: HashMap<u64, String>,
    root: u64,
}

impl Agent {
    /// The metadata of a source, or of its copy in a simulation; reports an error.
    fn source_found(&mut self, place: &str) -> io::Result<Metadata> {
        let found = fs::symlink_metadata(os(place));
        if let Err(error) = &found {
            let reason = machine::reason(error);
            self.say(Severity::Error, format!("lstat: {reason}"));
        }
        found
    }

    /// Keeps a copy of a file or tree.
    pub(super) fn keep_copy(&mut self, task: &mut Task, path: &str) -> Step<()> {
        let promise = task.promise.clone();
        let Some(source) = promise.text("source") else {
            self.failed(task, format!("Body copy_from for '{path}' has no source"));
            return Ok(());
        };
        self.verbose(|| format!("File '{path}' copy_from '{source}'"));
        // The name may depend on the file.
        if is_remote(&promise) {
            let (file, line) = (&promise.bundle.path, promise.written.line);
            return Err(Stop::Refused(format!(
                "{file}:{line}: attribute \"servers\" is not supported by the reference agent\n"
            )));
        }
        let bundle = promise.bundle.clone();
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let source = self.expand_text(source, home)?;
        let Ok(meta) = fs::metadata(self.disk(&source)) else {
            let missing = format!("Can't stat file '{source}' on 'localhost'");
            if task.is("missing_ok") {
                let message = format!(
                    "{missing} but promise is kept because of 'missing_ok' in files.copy_from promise"
                );
                self.unchanged(task, message);
            } else {
                self.failed(task, format!("{missing} in files.copy_from promise"));
            }
            return Ok(());
        };
        let target = if meta.is_dir() {
            format!("{}.", with_slash(path))
        } else {
            path.to_owned()
        };
        let force = task.is("move_obstructions");
        let Some(made) = self.make_parents(task, &target, force) else {
            return Ok(());
        };
        if made {
            self.changed(task, format!("Created parent directory for '{path}'"));
        }
        let mut tree = Tree {
            root: meta.dev(),
            ..Tree::default()
        };
        if !meta.is_dir() {
            return self.copy_found(task, &source, path, &mut tree);
        }
        if task.is("purge") {
            self.verbose(|| "Destination purging enabled".into());
        }
        self.verbose(|| format!("Entering directory '{source}'"));
        let depth = promise.int("depth").unwrap_or(0);
        if depth != 0 && task.promise.promiser.ends_with('/') {
            // From here on, cf-agent 3.21.0's messages omit the slash.
            let mut promise = (*task.promise).clone();
            promise.promiser = without_slash(&promise.promiser).into();
            task.promise = Rc::new(promise);
        }
        self.copy_tree(task, &source, path, depth, &mut tree)?;
        if task.is("check_root")
            && let Ok(copy) = fs::metadata(self.disk(path))
        {
            self.keep_copied_attributes(task, path, &meta, &copy);
        }
        Ok(())
    }

    /// Copies a single file.
    pub(super) fn copy_one(&mut self, task: &mut Task, source: &str, path: &str) -> Step<()> {
        self.copy_found(task, source, path, &mut Tree::default())
    }

    /// Copies an object that is no directory, or the files of a directory.
    fn copy_found(
        &mut self,
        task: &mut Task,
        source: &str,
        path: &str,
        tree: &mut Tree,
    ) -> Step<()> {
        let place = self.newest(source);
        let Ok(meta) = self.source_found(&place) else {
            self.failed(task, format!("Can't stat '{source}' in verify copy"));
            return Ok(());
        };
        if meta.nlink() > 1 {
            self.note_inode(task, meta.ino(), &self.place(path), tree);
        }
        if !meta.is_dir() {
            return self.copy_file(task, source, path, &meta, tree);
        }
        let (from, to) = (with_slash(source), with_slash(path));
        let copied = *place != *source;
        let read = |agent: &Self, path: &str| match copied {
            true => agent.place(path).into_owned(),
            false => path.to_owned(),
        };
        let Ok(names) = self.names_in(&read(self, &from)) else {
            self.failed(task, format!("Can't open directory '{from}'. (opendir: )"));
            return Ok(());
        };
        match fs::metadata(self.disk(&to)) {
            Ok(copy) => self.keep_copied_attributes(task, &to, &meta, &copy),
            Err(error) => {
                let reason = machine::reason(&error);
                self.failed(
                    task,
                    format!("Can't stat directory '{to}'. (stat: {reason})"),
                );
            }
        }
        // The first directory entry is `.`, the directory itself.
        if self.make_parents(task, &format!("{to}."), true) == Some(true) {
            self.changed(task, format!("Created parent directory for '{to}.'"));
        }
        for name in names.iter().filter(|name| !is_ignored(name)) {
            let (source, path) = (joined(&from, name), joined(&to, name));
            if self.source_found(&source).is_err() {
                self.verbose(|| format!("Skipping '{name}'"));
            }
            if let Ok(meta) = self.source_found(&read(self, &source))
                && !meta.is_dir()
            {
                self.copy_file(task, &source, &path, &meta, tree)?;
            }
        }
        Ok(())
    }

    fn note_inode(&mut self, task: &mut Task, inode: u64, path: &str, tree: &mut Tree) {
        let known = tree.copies.entry(inode).or_insert_with(|| path.to_owned());
        if *known != path {
            let what = format!("remove old hard link '{path}' to preserve structure");
            if self.may_change(task, what) {
                let before = task.outcome;
                let message = format!("Removed old hard link '{path}' to preserve structure");
                self.changed(task, message);
                task.outcome = before;
                // The copy may not exist yet.
                let _ = fs::remove_file(os(path));
            }
        }
    }

    /// Copies one file if its copy is missing or outdated.
    fn copy_file(
        &mut self,
        task: &mut Task,
        source: &str,
        path: &str,
        meta: &Metadata,
        tree: &mut Tree,
    ) -> Step<()> {
        self.tick()?;
        if source == path {
            let message = format!("File copy promise loop: file/dir '{source}' is its own source");
            self.unchanged(task, message);
            return Ok(());
        }
        if !self.selects(task, source, meta) {
            self.unchanged(task, format!("Skipping non-selected file '{source}'"));
            return Ok(());
        }
        if self.single_copies.contains(path) {
            self.unchanged(task, format!("Skipping single-copied file '{path}'"));
            return Ok(());
        }
        let linked = task.promise.texts("linkcopy_patterns");
        if self.match_any(&linked, last_node(source)) {
            let copied = task.promise.texts("copylink_patterns");
            if self.match_any(&copied, last_node(source)) {
                let message = format!(
                    "File {source} matches both copylink_patterns and linkcopy_patterns - promise loop (skipping)!"
                );
                self.unchanged(task, message);
                return Ok(());
            }
            self.verbose(|| format!("Copy item '{source}' marked for linking"));
            return self.link_copy(task, source, path, meta, tree);
        }
        let mut there = fs::symlink_metadata(self.disk(path)).ok();
        match &there {
            Some(copy) if copy.is_symlink() && !meta.is_symlink() => {
                if !self.remove_link_for_copy(task, path, meta) {
                    return Ok(());
                }
                there = None;
            }
            Some(_) => {}
            None => {
                let Some(made) = self.make_parents(task, path, true) else {
                    return Ok(());
                };
                if made {
                    self.changed(task, format!("Created parent directory for '{path}'"));
                }
            }
        }
        let size = task.text("copy_size").and_then(|text| text.split_once(','));
        let outside = size.is_some_and(|(min, max)| {
            let min = min.trim().parse().unwrap_or(0);
            let max = max.trim().parse().unwrap_or(999_999_999);
            meta.size() < min || meta.size() > max
        });
        if outside {
            let message = format!(
                "Source file '{source}' size is not in the permitted safety range, skipping"
            );
            self.unchanged(task, message);
            return Ok(());
        }
        match there {
            None => self.copy_new(task, source, path, meta, tree),
            Some(copy) => self.copy_again(task, source, path, (meta, &copy), tree),
        }
    }

    fn remove_link_for_copy(&mut self, task: &mut Task, path: &str, meta: &Metadata) -> bool {
        if !meta.is_symlink() && task.is("type_check") {
            let message =
                "File image exists but destination type is silly (file/dir/link doesn't match)";
            self.failed(task, message);
            self.say_place(Severity::Error, &task.promise.clone());
            return false;
        }
        let what = format!("remove old symbolic link '{path}' to make way for copy");
        if !self.may_change(task, what) {
            return false;
        }
        match fs::remove_file(self.disk(path)) {
            Ok(()) => {
                let message = format!("Removing old symbolic link '{path}' to make way for copy");
                self.changed(task, message);
                true
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Couldn't remove link '{path}'. (unlink: {reason})");
                self.failed(task, message);
                false
            }
        }
    }

    /// Keeps a copy's owner and mode: as promised, or the same as its source.
    fn keep_copied_attributes(
        &mut self,
        task: &mut Task,
        path: &str,
        source: &Metadata,
        copy: &Metadata,
    ) {
        let or = |accounts: Accounts, id| match accounts {
            Accounts::Any => Accounts::OneOf(vec![Some(id)]),
            other => other,
        };
        let mut perms = task.perms.clone();
        if task.is("preserve") {
            let mode = source.mode() & 0o7777;
            self.verbose(|| {
                format!("Attempting to preserve file permissions from the source: {mode:04o}")
            });
            perms = Perms {
                owners: or(perms.owners, source.uid()),
                groups: or(perms.groups, source.gid()),
                mask: Mask {
                    plus: mode,
                    minus: !mode & 0o7777,
                },
                ..perms
            };
        } else {
            perms.owners = or(perms.owners, copy.uid());
            perms.groups = or(perms.groups, copy.gid());
            if task.is("perms") {
                let plus = (copy.mode() & 0o7777) | perms.mask.plus;
                perms.mask = Mask {
                    plus,
                    minus: !(plus & !perms.mask.minus) & 0o7777,
                };
            }
        }
        self.keep_attributes(task, path, copy, &perms);
    }
}
