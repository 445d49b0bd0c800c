//! Copies of files, made before something is changed in them.

use super::{leads_out, root};
use crate::context::Agent;
use crate::kinds::{chopped, compressed, joined, make_folders, with_slash};
use crate::log::Level;
use crate::machine;
use crate::os::{os, said};
use crate::promise::Expanded;
use crate::stop::Stop;
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};

impl Agent {
    /// Makes a copy of a file or tree where its changes are made, if there is none yet. Links
    /// are copied with what they lead to. What leads above the root is refused.
    pub(crate) fn mirror(&mut self, promise: &Expanded, path: &str) {
        let Some(simulation) = self.copies() else {
            return;
        };
        if simulation.is_astray(path) {
            let (file, line) = (&promise.bundle.path, promise.written.line);
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
            // What can't be made is missed by what comes next.
            let _ = fs::create_dir(os(&place));
            let names = self.names_in(&real).unwrap_or_default();
            for name in names.iter().filter(|name| !matches!(&***name, "." | "..")) {
                let inner = joined(path, name);
                // No copy holds itself.
                if inner != root(&self.options) {
                    self.mirror(promise, &inner);
                }
            }
        } else {
            self.mirror_file(&real, &place, &meta);
        }
        self.mirror_permissions(path, &place);
    }

    /// The nearest directory above a path that is there, with a slash at its end; empty if
    /// that is the root.
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

    /// Makes the copy of a directory that is there, without what is in it.
    fn mirror_folders(&mut self, path: &str) {
        // A relative one is told of, and not made.
        let place = match path.starts_with('/') {
            true => self.place(path).into_owned(),
            false => path.to_owned(),
        };
        if let Err(message) = make_folders(&place) {
            self.say(Level::Error, message);
        }
        let mut path = path;
        while self.mirror_permissions(path, &self.place(path)) {
            match path.rfind('/') {
                Some(at) if at > 0 => path = &path[..at],
                _ => break,
            }
        }
    }

    fn mirror_link(&mut self, promise: &Expanded, path: &str, place: &str) {
        let Ok(target) = fs::read_link(os(&self.at(path))) else {
            return;
        };
        let target = said(target.into_os_string());
        let absolute = target.starts_with('/');
        let led = match absolute {
            true => target.clone(),
            false => joined(&with_slash(&chopped(path)), &target),
        };
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
        let led = if absolute {
            led
        } else {
            compressed(&led).unwrap_or(led)
        };
        if absolute || fs::symlink_metadata(os(&led)).is_ok() {
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
            self.say(Level::Error, message);
        } else {
            self.copies_content(path, place, None);
        }
    }

    /// Gives a copy the mode and owner of what it is a copy of.
    fn mirror_permissions(&mut self, path: &str, place: &str) -> bool {
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
                self.say(Level::Info, message);
            })
            .is_ok()
    }
}
