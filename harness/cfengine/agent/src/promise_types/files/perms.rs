//! `perms`: owner, group and mode.

use super::accounts;
use super::mode::Mask;
use super::path::os;
use super::record::Task;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use crate::stop::Step;
use crate::value::Value;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

/// The promised owner, group and mode of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Perms {
    pub(super) mask: Mask,
    pub(super) rxdirs: bool,
    pub(super) owners: Accounts,
    pub(super) groups: Accounts,
}

/// A list of users or groups; a file may have any of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Accounts {
    /// Any account.
    #[default]
    Any,
    /// One of these; `None` is an unknown name.
    OneOf(Vec<Option<u32>>),
}

/// The change that an owner or group needs.
enum Fix {
    Nothing,
    Set(u32),
}

impl Agent {
    /// Reads `perms`, and reports its errors.
    ///
    /// # Errors
    /// A call among owners or groups failed: cf-agent treats it as a text, and aborts.
    pub(super) fn perms_of(&mut self, promise: &Rc<Expanded>) -> Step<Perms> {
        let mode = promise.text("mode");
        let mask = self.mask_of(promise, "mode");
        let owners = self.accounts(promise, "owners")?;
        let groups = self.accounts(promise, "groups")?;
        let rxdirs = promise.text("rxdirs");
        let known = rxdirs.is_some_and(|t| matches!(&**t, "true" | "yes" | "false" | "no"));
        if mode.is_some() && !known {
            let message = format!(
                "Using the default value 'false' for attribute rxdirs (promiser: {}, file: {}:{}), please set it explicitly",
                promise.promiser, promise.bundle.path, promise.written.line
            );
            self.say(Severity::Warning, message);
        }
        // Only the messages are needed here; the mode is used later.
        self.mask_of(promise, "disable_mode");
        Ok(Perms {
            mask,
            rxdirs: matches!(rxdirs.map(|t| &**t), Some("true" | "yes")),
            owners,
            groups,
        })
    }

    /// Reads a mode, and reports its errors.
    fn mask_of(&mut self, promise: &Rc<Expanded>, attribute: &str) -> Mask {
        let mut said = Vec::new();
        let mode = promise.text(attribute);
        let read = mode.map_or(Ok(Mask::default()), |mode| {
            super::mode::parse(mode, &mut said)
        });
        for (level, message) in said {
            self.say(level, message);
        }
        read.unwrap_or_else(|mask| {
            self.say(Severity::Error, "Problem validating a mode string");
            self.say_place(Severity::Error, promise);
            mask
        })
    }

    fn accounts(&mut self, promise: &Expanded, attribute: &str) -> Step<Accounts> {
        let names = promise.get(attribute).and_then(Value::items);
        let Some(names) = names.filter(|names| !names.is_empty()) else {
            return Ok(Accounts::Any);
        };
        let mut ids = Vec::new();
        for name in names {
            let Some(name) = name.scalar() else {
                let what = format!(
                    "A function in the list '{attribute}' of promise '{}' failed",
                    promise.promiser
                );
                return Err(self.aborts(&what));
            };
            if &**name == "*" {
                return Ok(Accounts::Any);
            }
            ids.push(self.account(promise, attribute == "owners", name));
        }
        Ok(Accounts::OneOf(ids))
    }

    /// Keeps a file's owner, group, mode and monitored changes; the outcome is computed separately.
    pub(super) fn keep_attributes(
        &mut self,
        task: &mut Task,
        path: &str,
        meta: &Metadata,
        perms: &Perms,
    ) {
        let before = std::mem::replace(&mut task.outcome, Outcome::Kept);
        self.keep_each_attribute(task, path, meta, perms);
        task.outcome = before.and(task.outcome);
    }

    /// Does the same as [`Agent::may_change`] for an attribute. A refused change overrides an
    /// earlier failure.
    pub(super) fn may_adjust(&mut self, task: &mut Task, what: impl AsRef<str>) -> bool {
        let may = self.may_change(task, what);
        if !may {
            task.outcome = Outcome::Warned;
        }
        may
    }

    fn keep_each_attribute(&mut self, task: &mut Task, path: &str, meta: &Metadata, perms: &Perms) {
        let mut mode = perms.mask.apply(meta.mode());
        if meta.is_dir() && perms.rxdirs {
            mode |= (mode & 0o444) >> 2;
        } else if meta.is_dir() {
            self.verbose(|| "NB: rxdirs is set to false - x for r bits not checked".into());
        }
        self.keep_setid(task, path, meta, mode);
        self.keep_owner(task, path, meta, perms);
        if task.is("changes") {
            self.watch_file(task, path, meta);
        }
        if meta.is_symlink() {
            self.remove_dead_link(task, path);
            return;
        }
        self.keep_setid(task, path, meta, meta.mode());
        self.keep_mode(task, path, meta.mode() & 0o7777, mode & 0o7777);
        if task.is("touch") {
            match touch(&self.place(path)) {
                Ok(()) => self.changed(task, format!("Updated timestamps on '{path}'")),
                Err(error) => {
                    let reason = machine::reason(&error);
                    self.denied(
                        task,
                        format!("Updating timestamps on '{path}' failed. (utime: {reason})"),
                    );
                }
            }
        }
    }

    fn keep_mode(&mut self, task: &mut Task, path: &str, is: u32, wanted: u32) {
        if is == wanted {
            self.unchanged(task, format!("File permissions on '{path}' as promised"));
            return;
        }
        let what = format!("change permissions of '{path}' from {is:04o} to {wanted:04o}");
        if !self.may_adjust(task, what) {
            return;
        }
        match self.change_mode(&self.place(path), wanted) {
            Ok(()) => self.changed(
                task,
                format!("Object '{path}' had permissions {is:04o}, changed it to {wanted:04o}"),
            ),
            Err(error) => {
                let reason = machine::reason(&error);
                self.failed(
                    task,
                    format!("Failed to change permissions of '{path}'. (chmod: {reason})"),
                );
            }
        }
    }

    fn wanted_account(
        &mut self,
        task: &mut Task,
        path: &str,
        accounts: &Accounts,
        is: u32,
        names: (&str, &str),
    ) -> Fix {
        let Accounts::OneOf(ids) = accounts else {
            return Fix::Nothing;
        };
        if ids.contains(&Some(is)) {
            self.unchanged(task, format!("{} of '{path}' as promised ({is})", names.0));
            return Fix::Nothing;
        }
        match ids.iter().flatten().next() {
            Some(id) => Fix::Set(*id),
            None => {
                let message = format!(
                    "None of the promised {} for '{path}' exist -- see INFO logs for more",
                    names.1
                );
                self.failed(task, message);
                Fix::Nothing
            }
        }
    }

    fn keep_owner(&mut self, task: &mut Task, path: &str, meta: &Metadata, perms: &Perms) {
        let (uid, gid) = (meta.uid(), meta.gid());
        let owner = self.wanted_account(task, path, &perms.owners, uid, ("Owner", "owners"));
        let group = self.wanted_account(task, path, &perms.groups, gid, ("Group", "groups"));
        let (new_uid, new_gid, what) = match (owner, group) {
            (Fix::Nothing, Fix::Nothing) => return,
            (Fix::Set(uid), Fix::Set(gid)) => {
                let what = format!("change owner and group of '{path}' to '{uid}:{gid}'");
                (Some(uid), Some(gid), what)
            }
            (Fix::Set(uid), Fix::Nothing) => {
                let what = format!("change owner of '{path}' to '{uid}'");
                (Some(uid), None, what)
            }
            (Fix::Nothing, Fix::Set(gid)) => {
                let what = format!("change group of '{path}' to '{gid}'");
                (None, Some(gid), what)
            }
        };
        self.warn_of_nobody(task, path, uid, gid);
        if !self.may_adjust(task, what) {
            return;
        }
        let link = meta.is_symlink();
        if let Err(error) = self.change_owner(&self.place(path), !link, new_uid, new_gid) {
            let reason = machine::reason(&error);
            if link {
                let before = task.outcome;
                let message = format!("Cannot set ownership on link '{path}'. (lchown: {reason})");
                self.failed(task, message);
                task.outcome = before;
            } else {
                let message = format!("Cannot set ownership on file '{path}'. (chown: {reason})");
                self.denied(task, message);
            }
            return;
        }
        let of = if link { " link" } else { "" };
        if let Some(new) = new_uid {
            self.changed(
                task,
                format!("Owner of{of} '{path}' was {uid}, set to {new}"),
            );
        }
        if let Some(new) = new_gid {
            self.changed(
                task,
                format!("Group of{of} '{path}' was {gid}, set to {new}"),
            );
        }
    }

    fn warn_of_nobody(&mut self, task: &mut Task, path: &str, uid: u32, gid: u32) {
        let before = task.outcome;
        if accounts::user_name(uid).is_none() {
            self.verbose(|| {
                format!("Could not get user name for uid {uid}, (getpwuid: not found)")
            });
            let message = format!(
                "File '{path}' is not owned by anybody in the passwd database (uid = {uid})"
            );
            self.warned(task, message);
        }
        if accounts::group_name(gid).is_none() {
            self.verbose(|| {
                format!("Could not get group name for gid {gid}, (getgrgid: not found)")
            });
            let message =
                format!("File '{path}' is not owned by any group in group database  (gid = {gid})");
            self.warned(task, message);
        }
        task.outcome = before;
    }
}

/// Sets a file's times to now.
pub(super) fn touch(path: &str) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW,
    };
    let times = Timestamps {
        last_access: now,
        last_modification: now,
    };
    Ok(utimensat(CWD, os(path), &times, AtFlags::empty())?)
}
