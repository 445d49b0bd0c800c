//! Opens files as cf-agent does: component by component, so that it never follows another user's
//! link to a file of a third user.

use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::os::{os, said};
use crate::process::of_child;
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Stat, Uid, chmodat, chownat, fchmod, fstat,
    ftruncate, openat, readlinkat, statat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;

/// The most links that are followed in a row.
const MOST_LINKS: usize = 32;

impl Agent {
    /// Opens a file; a new file is only accessible to its owner.
    pub(crate) fn open(&mut self, path: &str, flags: OFlags) -> io::Result<File> {
        self.open_or_make(path, flags, Mode::RUSR | Mode::WUSR)
    }

    /// Creates a file with this mode; fails if the file exists.
    pub(crate) fn make(&mut self, path: &str, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        self.open_or_make(path, flags, Mode::from_raw_mode(mode))
    }

    /// Opens a file; reports an untrusted link.
    fn open_or_make(&mut self, path: &str, flags: OFlags, mode: Mode) -> io::Result<File> {
        let opened = open(&self.at(path), flags, mode);
        if opened.as_ref().err() == Some(&Errno::NOLINK) {
            self.say(Severity::Error, untrusted(path));
        }
        Ok(File::from(opened?))
    }

    /// Reads a whole file.
    pub(crate) fn read(&mut self, path: &str) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.open(path, OFlags::RDONLY)?.read_to_end(&mut content)?;
        Ok(content)
    }

    /// The names in a directory in the system's order, including `.` and `..`.
    pub(crate) fn names_in(&mut self, path: &str) -> io::Result<Vec<String>> {
        let directory = self.open(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut names = Vec::new();
        for entry in Dir::new(directory)? {
            let name = entry?.file_name().to_bytes().to_vec();
            names.push(said(OsString::from_vec(name)));
        }
        Ok(names)
    }

    /// Changes the working directory.
    pub(crate) fn enter(&mut self, path: &str) -> io::Result<()> {
        can_search(&self.open(path, OFlags::RDONLY)?)?;
        self.directory = Some(path.to_owned());
        Ok(())
    }

    /// The messages of a child of cf-agent that can't enter a directory.
    pub(crate) fn kept_out(&self, path: &str) -> Option<String> {
        let directory = open(&self.at(path), OFlags::RDONLY, Mode::empty());
        let error = directory.and_then(|fd| can_search(&fd)).err()?;
        let mut said = String::new();
        if error == Errno::NOLINK {
            said = of_child(&untrusted(path));
        }
        let reason = machine::reason(&error.into());
        let message = format!("Couldn't chdir to '{path}'. (chdir: {reason})");
        Some(said + &of_child(&message))
    }

    /// Sets a file's owner and group. If it follows a link, it changes the file that has the link's
    /// name in the target's directory.
    pub(crate) fn change_owner(
        &mut self,
        path: &str,
        follows: bool,
        uid: Option<u32>,
        gid: Option<u32>,
    ) -> io::Result<()> {
        let parent = self.true_parent(path, follows)?;
        let (uid, gid) = (uid.map(Uid::from_raw), gid.map(Gid::from_raw));
        let leaf = os(taken_apart(path).1);
        Ok(chownat(parent, leaf, uid, gid, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Sets a file's mode, if the file is readable and exists where cf-agent looks for it.
    pub(crate) fn change_mode(&mut self, path: &str, mode: u32) -> io::Result<()> {
        let parent = self.true_parent(path, true)?;
        let leaf = os(taken_apart(path).1);
        let mode = Mode::from_raw_mode(mode);
        let kind = kind_of(&statat(&parent, &leaf, AtFlags::SYMLINK_NOFOLLOW)?);
        // Opening one of these would block.
        if matches!(kind, FileType::Fifo | FileType::Socket) {
            return Ok(chmodat(parent, leaf, mode, AtFlags::empty())?);
        }
        Ok(fchmod(self.open(path, OFlags::RDONLY)?, mode)?)
    }

    /// The directory of a path's final target.
    fn true_parent(&mut self, path: &str, follows: bool) -> io::Result<OwnedFd> {
        let mut path = path.to_owned();
        let mut link: Option<Stat> = None;
        for _ in 0..MOST_LINKS {
            let (parent, leaf) = taken_apart(&path);
            let directory = OwnedFd::from(self.open(parent, OFlags::RDONLY)?);
            let found = statat(&directory, os(leaf), AtFlags::SYMLINK_NOFOLLOW)?;
            if link.is_some_and(|link| !is_trusted(&link, &found, geteuid().as_raw())) {
                return Err(Errno::NOLINK.into());
            }
            if kind_of(&found) != FileType::Symlink || !follows {
                return Ok(directory);
            }
            let target = readlinkat(&directory, os(leaf), Vec::new())?;
            let target = said(OsString::from_vec(target.into_bytes()));
            path = if target.starts_with('/') {
                target
            } else {
                format!("{parent}/{target}")
            };
            link = Some(found);
        }
        Err(Errno::LOOP.into())
    }
}

/// The message about a link that is not trusted.
fn untrusted(path: &str) -> String {
    format!(
        "Cannot follow symlink '{path}'; it is not owned by root or the user running this process, and the target owner and/or group differs from that of the symlink itself."
    )
}

/// Whether the agent may enter a directory.
fn can_search(directory: impl AsFd) -> Result<(), Errno> {
    statat(directory, ".", AtFlags::empty()).map(drop)
}

fn kind_of(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// A link is trusted if root or this user owns it, or if its target has the same owner and group.
fn is_trusted(link: &Stat, target: &Stat, user: u32) -> bool {
    link.st_uid == 0
        || link.st_uid == user
        || (link.st_uid, link.st_gid) == (target.st_uid, target.st_gid)
}

/// Splits a path into its directory and its last component.
fn taken_apart(path: &str) -> (&str, &str) {
    let path = match path.trim_end_matches('/') {
        "" if path.starts_with('/') => return ("/", "/"),
        path => path,
    };
    match path.rsplit_once('/') {
        Some((parent, leaf)) => match parent.trim_end_matches('/') {
            "" => ("/", leaf),
            parent => (parent, leaf),
        },
        None => (".", path),
    }
}

/// Opens a file component by component.
fn open(path: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    if path.is_empty() {
        return Err(Errno::NOENT);
    }
    // cf-agent stores this id in one bit.
    let user = u32::from(!geteuid().is_root());
    let start = if path.starts_with('/') { "/" } else { "." };
    let reading = OFlags::RDONLY | OFlags::CLOEXEC;
    let mut fd = openat(CWD, start, reading, Mode::empty())?;
    let mut rest = path.trim_start_matches('/');
    while !rest.is_empty() {
        let (node, behind) = rest.split_once('/').unwrap_or((rest, ""));
        let behind = behind.trim_start_matches('/');
        let before = statat(&fd, os(node), AtFlags::SYMLINK_NOFOLLOW);
        fd = if behind.is_empty() {
            let missing = before.as_ref().err().copied();
            open_last(&fd, (node, rest), (flags, mode), missing)?
        } else {
            before?;
            openat(&fd, os(node), reading, Mode::empty())?
        };
        if let Ok(before) = before {
            let after = fstat(&fd)?;
            if !is_trusted(&before, &after, user) {
                return Err(Errno::NOLINK);
            }
            // The file is only truncated after the link is trusted.
            if behind.is_empty() && flags.contains(OFlags::TRUNC) && after.st_size != 0 {
                ftruncate(&fd, 0)?;
            }
        }
        rest = behind;
    }
    Ok(fd)
}

/// Opens a path's last component, which may exist; a trailing slash is kept.
fn open_last(
    fd: &OwnedFd,
    (node, written): (&str, &str),
    (flags, mode): (OFlags, Mode),
    missing: Option<Errno>,
) -> Result<OwnedFd, Errno> {
    let creates = flags.contains(OFlags::CREATE);
    let mut own = flags.difference(OFlags::TRUNC) | OFlags::CLOEXEC;
    match missing {
        Some(Errno::NOENT) if creates => own |= OFlags::EXCL,
        Some(error) => return Err(error),
        None if creates && flags.contains(OFlags::EXCL) => return Err(Errno::EXIST),
        None => own.remove(OFlags::CREATE),
    }
    let node = if written.len() > node.len() {
        format!("{node}/")
    } else {
        node.to_owned()
    };
    match openat(fd, os(&node), own, mode) {
        // A dangling link: nothing is created at its target.
        Err(Errno::NOENT) if creates && missing.is_none() => Err(Errno::ACCESS),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn paths_are_taken_apart_as_the_system_does() {
        assert_eq!(taken_apart("/a/b/"), ("/a", "b"));
        assert_eq!(taken_apart("/a//b"), ("/a", "b"));
        assert_eq!(taken_apart("/a"), ("/", "a"));
        assert_eq!(taken_apart("a"), (".", "a"));
        assert_eq!(taken_apart("/"), ("/", "/"));
    }

    #[test]
    fn files_are_opened_part_by_part() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        fs::write(path("file"), "content").expect("a file");
        symlink("file", path("link")).expect("a link");
        symlink("nowhere", path("loose")).expect("a link");
        let open = |path: String, flags| open(&path, flags, Mode::RUSR | Mode::WUSR);
        let made = OFlags::WRONLY | OFlags::CREATE;
        assert!(open(path("link"), OFlags::RDONLY).is_ok());
        assert_eq!(
            open(path("file/"), OFlags::RDONLY).err(),
            Some(Errno::NOTDIR)
        );
        assert_eq!(open(path("none"), OFlags::RDONLY).err(), Some(Errno::NOENT));
        assert_eq!(open(path("loose"), made).err(), Some(Errno::ACCESS));
        assert_eq!(
            open(path("file"), made | OFlags::EXCL).err(),
            Some(Errno::EXIST)
        );
        assert!(open(path("link"), made | OFlags::TRUNC).is_ok());
        assert_eq!(fs::read(path("file")).expect("a file"), b"");
        assert!(open(path("none"), made).is_ok());
        assert!(fs::metadata(path("none")).is_ok());
    }
}
