//! Copies files before the simulation changes them.

use super::leads_out;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::os::{os, said};
use crate::promise::Expanded;
use crate::promise_types::{chopped, joined, with_slash};
use crate::stop::Stop;
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};

impl Agent {
    /// Copies a file or tree to the place of its changes, unless it is already there. Links are
    /// copied together with their targets. Paths that lead above the root are refused.
    pub(crate) fn mirror(&mut self, promise: &Expanded, path: &str) {
        let Some(simulation) = self.copies() else {
            return;
        };
        let (file, line) = (&promise.bundle.path, promise.written.line);
        if let Some(why) = &simulation.unmade {
            let root = &simulation.root;
            self.stopped = Some(Stop::Refused(format!(
                "{file}:{line}: no copies can be changed in '{root}': {why}\n"
            )));
            return;
        }
        if simulation.is_astray(path) {
            self.stopped = Some(Stop::Refused(format!(
                "{file}:{line}: '{path}' leads above the copies of this simulation, which is not supported by the reference agent\n"
            )));
            return;
        }
        if let Err(stop) = self.tick() {
            self.stopped = Some(stop);
            return;
        }
        let place = self.place(path).into_owned();
        if fs::symlink_metadata(os(&place)).is_ok() {
            return;
        }
        self.mirror_folders(&self.nearest(path));
        let real = self.at(path).into_owned();
        let Ok(meta) = fs::symlink_metadata(os(&real)) else {
            return;
        };
        if meta.is_symlink() {
            self.mirror_link(promise, path, &place);
        } else if meta.is_dir() {
            // If this fails, the next steps report the missing directory.
            let _ = fs::create_dir(os(&place));
            let names = self.names_in(&real).unwrap_or_default();
            for name in names.iter().filter(|name| !matches!(&***name, "." | "..")) {
                let inner = joined(path, name);
                if !self.is_root(&inner) {
                    self.mirror(promise, &inner);
                }
            }
        } else {
            self.mirror_file(&real, &place, &meta);
        }
        self.copies_permissions(path, &place);
    }

    /// The nearest existing directory above a path, with a trailing slash; empty for the root.
    fn nearest(&self, path: &str) -> String {
        let mut above = path;
        while let Some(at) = above.rfind('/').filter(|at| *at > 0) {
            above = &path[..at];
            if fs::metadata(os(&self.at(above))).is_ok() {
                return format!("{above}/");
            }
        }
        String::new()
    }

    /// Copies an existing directory, without its entries.
    fn mirror_folders(&mut self, path: &str) {
        if path.starts_with('/') {
            self.clear_place(self.place(path).trim_end_matches('/'));
        }
        self.make_way_to(path);
        let mut path = path;
        while self.copies_permissions(path, &self.place(path)) {
            match path.rfind('/') {
                Some(at) if at > 0 => path = &path[..at],
                _ => break,
            }
        }
    }

    /// Moves an object out of the way of a directory's copy, for example a dangling link.
    fn clear_place(&mut self, place: &str) {
        let Ok(meta) = fs::symlink_metadata(os(place)) else {
            return;
        };
        if meta.is_symlink() {
            self.verbose(|| format!("'{place}' is a symbolic link, not a directory"));
        }
        if fs::metadata(os(place)).is_ok_and(|meta| meta.is_dir()) {
            return;
        }
        let aside = format!("{place}.cf-moved");
        self.verbose(|| {
            format!("Moving obstructing file/link {place} to {aside} to make directory")
        });
        if let Err(error) = fs::rename(os(place), os(&aside)) {
            let reason = machine::reason(&error);
            let message = format!("Couldn't rename '{place}' to .cf-moved (rename: {reason})");
            self.say(Severity::Error, message);
        }
    }

    fn mirror_link(&mut self, promise: &Expanded, path: &str, place: &str) {
        let Ok(target) = fs::read_link(os(&self.at(path))) else {
            return;
        };
        let target = said(target.into_os_string());
        let absolute = target.starts_with('/');
        let beside = joined(&with_slash(&chopped(path)), &target);
        let led = if absolute { target.clone() } else { beside };
        let to = match absolute {
            true => self.target(path, &target),
            false => os(&target),
        };
        if leads_out(&led) {
            self.note_astray(place.to_owned());
        }
        if symlink(to, os(place)).is_err() {
            return;
        }
        if absolute {
            self.mirror(promise, &led);
        } else if let Some(led) = self.expand_link(path) {
            self.mirror(promise, &led);
        }
    }

    fn mirror_file(&mut self, path: &str, place: &str, meta: &Metadata) {
        let kind = meta.file_type();
        let null = rustix::fs::makedev(1, 3);
        let empty = kind.is_char_device() && meta.rdev() == null;
        if (kind.is_fifo() || kind.is_char_device() || kind.is_block_device()) && !empty {
            let message = format!(
                "'{path}' is no regular file, and was not copied: cf-agent 3.21.0 would read it to its end here"
            );
            self.say(Severity::Error, message);
        } else {
            self.copies_content(path, place, None);
        }
    }

    /// Copies mode and owner of the original.
    pub(crate) fn copies_permissions(&mut self, path: &str, place: &str) -> bool {
        let real = if path.is_empty() {
            path.into()
        } else {
            self.at(path)
        };
        let copied = match fs::metadata(os(&real)) {
            Err(error) => Err(("stat", error)),
            Ok(meta) => self
                .change_mode(place, meta.mode() & 0o7777)
                .map_err(|error| ("chmod", error))
                .and_then(|()| {
                    self.change_owner(place, true, Some(meta.uid()), Some(meta.gid()))
                        .map_err(|error| ("chown", error))
                }),
        };
        copied
            .inspect_err(|(call, error)| {
                let reason = machine::reason(error);
                let message = format!("Can't copy permissions '{path}'. ({call}: {reason})");
                self.say(Severity::Info, message);
            })
            .is_ok()
    }
}
