//! Changes the sandbox's files from the harness's side. A subject may have planted links, so none
//! is ever followed, and no call blocks.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, RawDir, ResolveFlags, StatxFlags, Uid};
use rustix::io::Errno;

use super::Error;

/// A tree of the subject's files.
#[derive(Debug)]
pub(super) struct View {
    /// Its top directory.
    pub(super) top: OwnedFd,
    /// The path of the top directory, as the subject sees it.
    pub(super) at: PathBuf,
}

const RESOLVE: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS);

impl View {
    /// The path below the top; other absolute paths are outside the sandbox.
    fn inside(&self, path: &Path) -> Result<PathBuf, Error> {
        let inside = path
            .strip_prefix(&self.at)
            .map_err(|_| Error::Outside(path.to_owned()))?;
        Ok(if inside.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            inside.to_owned()
        })
    }

    fn open(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Error> {
        let inside = self.inside(path)?;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat2(&self.top, &inside, flags, Mode::empty(), RESOLVE)
            .map_err(file_error(path))
    }

    /// The parent directory of a path, created if missing, and the file name.
    fn parent<'a>(&self, path: &'a Path, make: bool) -> Result<(OwnedFd, &'a OsStr), Error> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Error::Outside(path.to_owned()));
        };
        match self.open(parent, OFlags::PATH | OFlags::DIRECTORY) {
            Ok(fd) => Ok((fd, name)),
            Err(Error::File { source, .. })
                if make && source.kind() == io::ErrorKind::NotFound && parent != self.at =>
            {
                let (above, own) = self.parent(parent, true)?;
                match rustix::fs::mkdirat(&above, own, Mode::from_raw_mode(0o755)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(errno) => return Err(file_error(parent)(errno)),
                }
                Ok((self.open(parent, OFlags::PATH | OFlags::DIRECTORY)?, name))
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn names(&self, path: &Path) -> Result<Vec<CString>, Error> {
        let dir = self.open(path, LIST)?;
        names(&dir).map_err(file_error(path))
    }

    pub(super) fn read(&self, path: &Path, most: u64) -> Result<Vec<u8>, Error> {
        let fd = self.open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
        regular(&fd).map_err(file_error(path))?;
        let mut content = Vec::new();
        let file = std::fs::File::from(fd);
        io::Read::read_to_end(&mut io::Read::take(file, most), &mut content).map_err(|source| {
            Error::File {
                path: path.to_owned(),
                source,
            }
        })?;
        Ok(content)
    }

    /// With a mode of `None`, an existing file keeps its mode, and a new one gets 0644.
    pub(super) fn write(
        &self,
        path: &Path,
        content: &[u8],
        mode: Option<u32>,
    ) -> Result<(), Error> {
        let (parent, name) = self.parent(path, true)?;
        let error = file_error(path);
        let flags =
            OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let (fd, new) = match rustix::fs::openat(
            &parent,
            name,
            flags | OFlags::CREATE | OFlags::EXCL,
            Mode::from_raw_mode(0o600),
        ) {
            Ok(fd) => (fd, true),
            Err(Errno::EXIST) => {
                let fd = rustix::fs::openat(&parent, name, flags, Mode::empty());
                (fd.map_err(&error)?, false)
            }
            Err(errno) => return Err(error(errno)),
        };
        regular(&fd).map_err(&error)?;
        rustix::fs::ftruncate(&fd, 0).map_err(&error)?;
        let mut file = std::fs::File::from(fd);
        if content.iter().all(|byte| *byte == 0) {
            // A file hole takes no space, so emptying the file frees none.
            rustix::fs::ftruncate(&file, content.len() as u64).map_err(&error)?;
        } else {
            io::Write::write_all(&mut file, content).map_err(|source| Error::File {
                path: path.to_owned(),
                source,
            })?;
        }
        match mode.or(new.then_some(0o644)) {
            Some(mode) => {
                rustix::fs::fchmod(&file, Mode::from_raw_mode(mode & 0o7777)).map_err(&error)
            }
            None => Ok(()),
        }
    }

    pub(super) fn directory(&self, path: &Path, mode: u32) -> Result<(), Error> {
        let (parent, name) = self.parent(path, true)?;
        rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(0o700)).map_err(file_error(path))?;
        self.chmod(path, mode)
    }

    pub(super) fn symlink(&self, path: &Path, to: &Path) -> Result<(), Error> {
        let (parent, name) = self.parent(path, true)?;
        rustix::fs::symlinkat(to, &parent, name).map_err(file_error(path))
    }

    pub(super) fn remove(&self, path: &Path) -> Result<(), Error> {
        let (parent, name) = self.parent(path, false)?;
        remove_tree(parent.as_fd(), name).map_err(file_error(path))
    }

    pub(super) fn chmod(&self, path: &Path, mode: u32) -> Result<(), Error> {
        let fd = self.open(path, OFlags::PATH)?;
        chmod(&fd, mode).map_err(file_error(path))
    }

    pub(super) fn chown(&self, path: &Path, uid: u32, gid: u32) -> Result<(), Error> {
        let fd = self.open(path, OFlags::PATH)?;
        chown(fd.as_fd(), uid, gid).map_err(file_error(path))
    }

    /// Calls a function with every file and directory at and below a path, except links.
    pub(super) fn each(
        &self,
        path: &Path,
        act: &mut dyn FnMut(&OwnedFd, bool) -> Result<(), Errno>,
    ) -> Result<(), Error> {
        let top = self.open(path, OFlags::PATH)?;
        each(&top, act, 0).map_err(file_error(path))
    }
}

fn file_error(path: &Path) -> impl Fn(Errno) -> Error + '_ {
    |errno| Error::File {
        path: path.to_owned(),
        source: errno.into(),
    }
}

fn regular(fd: &OwnedFd) -> Result<(), Errno> {
    let stat = rustix::fs::fstat(fd)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(()),
        _ => Err(Errno::INVAL),
    }
}

fn is(fd: BorrowedFd<'_>, kind: FileType) -> Result<bool, Errno> {
    let stat = rustix::fs::statx(fd, c"", AtFlags::EMPTY_PATH, StatxFlags::TYPE)?;
    Ok(FileType::from_raw_mode(stat.stx_mode.into()) == kind)
}

/// Changes the mode of a file through a descriptor without access rights.
pub(super) fn chmod(fd: &OwnedFd, mode: u32) -> Result<(), Errno> {
    use std::os::fd::AsRawFd;
    if is(fd.as_fd(), FileType::Symlink)? {
        return Err(Errno::LOOP);
    }
    let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
    rustix::fs::chmod(path, Mode::from_raw_mode(mode & 0o7777))
}

pub(super) fn chown(fd: BorrowedFd<'_>, uid: u32, gid: u32) -> Result<(), Errno> {
    let (uid, gid) = (Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)));
    rustix::fs::chownat(fd, c"", uid, gid, AtFlags::EMPTY_PATH)
}

const DEEPEST: usize = 200;

pub(super) fn names(dir: &OwnedFd) -> Result<Vec<CString>, Errno> {
    let mut space = [std::mem::MaybeUninit::uninit(); 4096];
    let mut entries = RawDir::new(dir, &mut space);
    let mut names = Vec::new();
    while let Some(entry) = entries.next() {
        let name = entry?.file_name().to_owned();
        if !matches!(name.to_bytes(), b"." | b"..") {
            names.push(name);
        }
    }
    Ok(names)
}

const LIST: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

fn each(
    fd: &OwnedFd,
    act: &mut dyn FnMut(&OwnedFd, bool) -> Result<(), Errno>,
    depth: usize,
) -> Result<(), Errno> {
    let directory = is(fd.as_fd(), FileType::Directory)?;
    if directory && depth < DEEPEST {
        let list = rustix::fs::openat(fd, c".", LIST, Mode::empty())?;
        for name in names(&list)? {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let child = rustix::fs::openat(fd, &name, flags, Mode::empty())?;
            if !is(child.as_fd(), FileType::Symlink)? {
                each(&child, act, depth + 1)?;
            }
        }
    }
    act(fd, directory)
}

/// Removes a file or a directory with its contents, whatever its modes and depth.
pub(super) fn remove_tree(
    parent: BorrowedFd<'_>,
    name: impl rustix::path::Arg + Copy,
) -> Result<(), Errno> {
    match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
        Ok(()) => return Ok(()),
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(errno) => return Err(errno),
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let path = rustix::fs::openat(parent, name, flags, Mode::empty())?;
    empty(&path)?;
    rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)
}

/// Empties a directory. Directories too deep to be open at the same time are moved up first.
pub(super) fn empty(top: &OwnedFd) -> Result<(), Errno> {
    let mut count = 0_u64;
    loop {
        let mut moved = false;
        empty_to(top, top, 0, &mut moved, &mut count)?;
        if !moved {
            return Ok(());
        }
    }
}

fn empty_to(
    top: &OwnedFd,
    dir: &OwnedFd,
    depth: usize,
    moved: &mut bool,
    count: &mut u64,
) -> Result<(), Errno> {
    chmod(dir, 0o700).ok();
    let list = rustix::fs::openat(dir, c".", LIST, Mode::empty())?;
    for name in names(&list)? {
        match rustix::fs::unlinkat(&list, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => continue,
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(errno) => return Err(errno),
        }
        if depth >= 60 {
            *count += 1;
            *moved = true;
            let place = format!(".stickler-{count}");
            rustix::fs::renameat(&list, &name, top, &place)?;
            continue;
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let inner = rustix::fs::openat(&list, &name, flags, Mode::empty())?;
        empty_to(top, &inner, depth + 1, moved, count)?;
        rustix::fs::unlinkat(&list, &name, AtFlags::REMOVEDIR)?;
    }
    Ok(())
}
