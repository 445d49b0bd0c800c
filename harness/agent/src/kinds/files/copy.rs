//! `copy_from`: copies of files and trees on this host.

mod file;
mod purge;

pub(super) use file::copy_content;
pub(super) use purge::empty_tree;

use super::create::make_directory;
use super::leaf::is_ignored;
use super::link::NoSource;
use super::mode::Mask;
use super::path::{chopped, joined, last_node, os, said, with_slash, without_slash};
use super::perms::{Accounts, Perms};
use super::record::Task;
use super::search::names_in;
use crate::context::Agent;
use crate::log::Level;
use crate::machine;
use crate::outcome::Outcome;
use crate::stop::Step;
use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// A tree on its way: which copy has which source's inode.
#[derive(Default)]
pub(super) struct Tree {
    copies: HashMap<u64, String>,
    root: u64,
}

impl Agent {
    /// What is known of a source.
    fn source_status(&mut self, path: &str) -> Option<Metadata> {
        match fs::symlink_metadata(os(path)) {
            Ok(meta) => Some(meta),
            Err(error) => {
                let reason = machine::reason(&error);
                self.say(Level::Error, format!("lstat: {reason}"));
                None
            }
        }
    }

    /// Sees to a copy of a file or tree.
    pub(super) fn keep_copy(&mut self, task: &mut Task, path: &str) -> Step<()> {
        let promise = task.promise.clone();
        let Some(source) = promise.text("source") else {
            self.failed(task, format!("Body copy_from for '{path}' has no source"));
            return Ok(());
        };
        self.verbose(|| format!("File '{path}' copy_from '{source}'"));
        let bundle = promise.bundle.clone();
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let source = self.expand_text(source, home)?;
        let Ok(meta) = fs::metadata(os(&source)) else {
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
        self.copy_tree(task, &source, path, depth, &mut tree)?;
        if task.is("check_root")
            && let Ok(copy) = fs::metadata(os(path))
        {
            self.keep_copied_attributes(task, path, &meta, &copy);
        }
        Ok(())
    }

    /// Copies a single file.
    pub(super) fn copy_one(&mut self, task: &mut Task, source: &str, path: &str) -> Step<()> {
        self.copy_found(task, source, path, &mut Tree::default())
    }

    fn copy_tree(
        &mut self,
        task: &mut Task,
        from: &str,
        to: &str,
        depth: i64,
        tree: &mut Tree,
    ) -> Step<()> {
        self.tick()?;
        if depth == 0 {
            self.failed(task, format!("Maximum recursion level reached at '{from}'"));
            return Ok(());
        }
        let force = task.is("move_obstructions");
        let to = without_slash(to);
        let inside = format!("{}dummy", with_slash(to));
        let Some(made) = self.make_parents(task, &inside, force) else {
            return Ok(());
        };
        if made {
            self.changed(task, format!("Created parent directory for '{to}'"));
        }
        if !self.prepare_directory(task, to) {
            return Ok(());
        }
        let Ok(names) = names_in(from) else {
            self.failed(task, format!("Can't open directory '{from}' for copying"));
            return Ok(());
        };
        let mut kept = Vec::new();
        for name in names {
            if !self.considers(&name, from) {
                self.verbose(|| format!("Skipping '{name}'"));
                continue;
            }
            kept.push(name.clone());
            self.copy_entry(task, (from, to), &name, depth, tree)?;
        }
        if task.is("purge") {
            let before = task.outcome;
            self.purge(task, to, &kept);
            task.outcome = before;
        }
        Ok(())
    }

    /// A link in a directory's place is moved away.
    fn prepare_directory(&mut self, task: &mut Task, to: &str) -> bool {
        let meta = match fs::symlink_metadata(os(to)) {
            Ok(meta) => meta,
            Err(error) => {
                let reason = machine::reason(&error);
                let message =
                    format!("Unable to stat newly created directory '{to}'. (lstat: {reason})");
                self.failed(task, message);
                return false;
            }
        };
        if !meta.is_symlink() {
            return true;
        }
        if !task.is("move_obstructions") {
            let message = format!(
                "Path '{to}' is a symlink. Unable to move it aside without move_obstructions is set"
            );
            self.failed(task, message);
            return false;
        }
        if self.may_change(task, format!("backup '{to}'")) {
            if fs::rename(os(to), os(&format!("{to}.cf-moved"))).is_ok() {
                self.changed(task, format!("Backed up '{to}'"));
            } else {
                self.say(Level::Error, format!("Unable to backup old '{to}'"));
            }
        }
        if self.may_change(task, format!("create directory '{to}'")) {
            if let Err(error) = make_directory(to, 0o700) {
                let reason = machine::reason(&error);
                let message = format!("Failed to make directory '{to}'. (mkdir: {reason})");
                self.failed(task, message);
                return false;
            }
            self.changed(task, format!("Created directory for '{to}'"));
        }
        true
    }

    fn copy_entry(
        &mut self,
        task: &mut Task,
        (from, to): (&str, &str),
        name: &str,
        depth: i64,
        tree: &mut Tree,
    ) -> Step<()> {
        let source = joined(from, name);
        let travels = task.is("traverse_links");
        let found = if travels {
            fs::metadata(os(&source))
        } else {
            fs::symlink_metadata(os(&source))
        };
        let meta = match found {
            Ok(meta) => meta,
            Err(error) => {
                let reason = machine::reason(&error);
                self.verbose(|| format!("Can't stat '{source}'. (cf_stat: {reason})"));
                self.verbose(|| format!("Skipping '{source}'"));
                return Ok(());
            }
        };
        let collapses = task.is("collapse_destination_dir");
        let path = if collapses && meta.is_dir() {
            to.to_owned()
        } else {
            joined(to, name)
        };
        if task.is("xdev") && meta.dev() != tree.root {
            self.verbose(|| format!("Device change from {} to {}", tree.root, meta.dev()));
            self.verbose(|| format!("Skipping '{source}' on different device"));
            return Ok(());
        }
        if !meta.is_dir() {
            return self.copy_found(task, &source, &path, tree);
        }
        if travels {
            self.verbose(|| {
                "Traversing directory links during copy is too dangerous, pruned".into()
            });
            return Ok(());
        }
        if self.skips_directory(task, &source) {
            return Ok(());
        }
        if !collapses && fs::metadata(os(&path)).is_err() {
            if let Err(error) = make_directory(&path, 0o700) {
                let reason = machine::reason(&error);
                self.failed(
                    task,
                    format!("Can't make directory '{path}'. (mkdir: {reason})"),
                );
                return Ok(());
            }
            self.changed(task, format!("Created directory '{path}'"));
        }
        self.verbose(|| format!("Entering '{path}'"));
        if !collapses && let Ok(copy) = fs::metadata(os(&path)) {
            let before = task.outcome;
            self.keep_copied_attributes(task, &path, &meta, &copy);
            task.outcome = before;
        }
        self.copy_tree(task, &source, &path, depth - 1, tree)
    }

    /// Copies what is no directory, or a directory's files.
    fn copy_found(
        &mut self,
        task: &mut Task,
        source: &str,
        path: &str,
        tree: &mut Tree,
    ) -> Step<()> {
        let Some(meta) = self.source_status(source) else {
            self.failed(task, format!("Can't stat '{source}' in verify copy"));
            return Ok(());
        };
        if meta.nlink() > 1 {
            self.note_inode(task, meta.ino(), path, tree);
        }
        if !meta.is_dir() {
            return self.copy_file(task, source, path, &meta, tree);
        }
        let (from, to) = (with_slash(source), with_slash(path));
        let Ok(names) = names_in(&from) else {
            self.failed(task, format!("Can't open directory '{from}'. (opendir: )"));
            return Ok(());
        };
        if let Ok(copy) = fs::metadata(os(&to)) {
            self.keep_copied_attributes(task, &to, &meta, &copy);
        }
        for name in names.iter().filter(|name| !is_ignored(name)) {
            let (source, path) = (joined(&from, name), joined(&to, name));
            if let Some(meta) = self.source_status(&source) {
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
                // It may not be there yet.
                let _ = fs::remove_file(os(path));
            }
        }
    }

    /// Copies one file, if its copy is not as it should be.
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
        let mut there = fs::symlink_metadata(os(path)).ok();
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
            self.say_place(Level::Error, &task.promise.clone());
            return false;
        }
        let what = format!("remove old symbolic link '{path}' to make way for copy");
        if !self.may_change(task, what) {
            return false;
        }
        match fs::remove_file(os(path)) {
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

    fn copy_new(
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
            if let Ok(copy) = fs::metadata(os(path)) {
                self.keep_copied_attributes(task, path, meta, &copy);
            }
            let message = format!("Updated file '{path}' from 'localhost:{source}'");
            self.changed(task, message);
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
        match mknodat(CWD, os(path), kind, Mode::from_raw_mode(mode), meta.rdev()) {
            Ok(()) => self.changed(task, done),
            Err(error) => {
                let reason = machine::reason(&error.into());
                let call = if fifo { "mkfifo" } else { "mknod" };
                let message = format!("Cannot create {cannot} '{path}'. ({call}: {reason})");
                self.failed(task, message);
            }
        }
    }

    fn copy_again(
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
        if self.copy_regular(task, source, path, meta, tree) {
            if let Ok(copy) = fs::metadata(os(path)) {
                let message = format!("Updated '{path}' from source '{source}' on 'localhost'");
                self.changed(task, message);
                self.keep_copied_attributes(task, path, meta, &copy);
            }
        } else {
            let message = format!("Was not able to copy '{source}' on 'localhost' to '{path}'");
            self.failed(task, message);
        }
        Ok(())
    }

    /// A link in a source becomes a link, as does what should be linked
    /// instead of copied.
    fn link_copy(
        &mut self,
        task: &mut Task,
        source: &str,
        path: &str,
        meta: &Metadata,
        tree: &mut Tree,
    ) -> Step<()> {
        let mut target = source.to_owned();
        if meta.is_symlink() {
            let Ok(found) = fs::read_link(os(source)) else {
                self.failed(task, format!("Can't read link '{source}'"));
                return Ok(());
            };
            target = said(found.into_os_string());
            self.verbose(|| format!("Checking link from '{path}' to '{target}'"));
            if task.text("link_type") == Some("absolute") && !target.starts_with('/') {
                target = joined(&with_slash(&chopped(source)), &target);
            }
        }
        let copied = task.promise.texts("copylink_patterns");
        if self.match_any(&copied, last_node(source)) {
            let target = self.expand_links(source, 0).unwrap_or(target);
            self.verbose(|| {
                format!("Link item in copy '{source}' marked for copying from '{target}' instead")
            });
            return match fs::metadata(os(&target)) {
                Ok(meta) => self.copy_file(task, &target, path, &meta, tree),
                Err(_) => Ok(()),
            };
        }
        let mut own = Task::new(task.promise.clone(), task.perms.clone());
        self.link(&mut own, path, &target, NoSource::Force);
        if matches!(own.outcome, Outcome::Kept | Outcome::Repaired) {
            match fs::symlink_metadata(os(path)) {
                Ok(copy) => self.keep_copied_attributes(task, path, meta, &copy),
                Err(error) => {
                    let reason = machine::reason(&error);
                    self.failed(task, format!("Can't lstat '{path}'. (lstat: {reason})"));
                }
            }
        }
        Ok(())
    }

    /// Sees to a copy's owner and mode: as promised, or as its source has them.
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
