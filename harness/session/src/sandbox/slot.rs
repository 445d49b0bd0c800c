//! The scratch directory of the tiers without overlays: a directory of the machine that sandboxes,
//! including those of other processes, use in turn. Thus every case sees the same paths.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::Error;
use super::plan::{SCRATCH, SUBFOLDERS};
use super::view;

/// Longer than any session.
const PATIENCE: Duration = Duration::from_secs(3600);
/// How often to check whether another process has released the directory.
const LOOK: Duration = Duration::from_micros(500);

/// The directory; dropping this removes it.
#[derive(Debug)]
pub(super) struct Slot {
    path: PathBuf,
    taken: Mutex<bool>,
    free: Condvar,
}

/// The right to use the directory; dropping this empties it.
#[derive(Debug)]
pub(super) struct Turn {
    slot: Arc<Slot>,
    /// Locked, so that other processes do not use it.
    dir: OwnedFd,
}

impl Slot {
    /// Creates the directory; it must not belong to another user.
    pub(super) fn new() -> Result<Arc<Self>, Error> {
        let path = PathBuf::from(SCRATCH);
        match lock(&path) {
            Ok(_) | Err(Errno::AGAIN | Errno::NOENT) => Ok(Arc::new(Self {
                path,
                taken: Mutex::new(false),
                free: Condvar::new(),
            })),
            Err(errno) => Err(refused(path, errno)),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the directory, and creates the empty subfolders.
    pub(super) fn take(self: &Arc<Self>) -> Result<Turn, Error> {
        let error = |errno: Errno| refused(self.path.clone(), errno);
        let taken = self.taken.lock().map_err(|_| error(Errno::DEADLK))?;
        let (mut taken, wait) = self
            .free
            .wait_timeout_while(taken, PATIENCE, |taken| *taken)
            .map_err(|_| error(Errno::DEADLK))?;
        if wait.timed_out() {
            return Err(error(Errno::BUSY));
        }
        let turn = Turn {
            slot: Arc::clone(self),
            dir: self.wait().map_err(error)?,
        };
        *taken = true;
        drop(taken);
        view::empty(&turn.dir).map_err(error)?;
        for name in SUBFOLDERS {
            rustix::fs::mkdirat(&turn.dir, name, Mode::from_raw_mode(0o755)).map_err(error)?;
        }
        view::chmod(&turn.dir, 0o755).map_err(error)?;
        Ok(turn)
    }

    /// Waits until no other process has the directory.
    fn wait(&self) -> Result<OwnedFd, Errno> {
        let end = Instant::now() + PATIENCE;
        loop {
            match lock(&self.path) {
                // Another process has it, or has just removed it.
                Err(Errno::AGAIN | Errno::NOENT) if Instant::now() < end => {
                    std::thread::sleep(LOOK);
                }
                other => return other,
            }
        }
    }
}

fn refused(path: PathBuf, errno: Errno) -> Error {
    match errno {
        Errno::EXIST => Error::Foreign { path },
        errno => Error::Scratch {
            path,
            source: errno.into(),
        },
    }
}

impl Turn {
    pub(super) fn dir(&self) -> &OwnedFd {
        &self.dir
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let _ = view::empty(&self.dir);
        // Copies of the descriptor may stay open for a while.
        let _ = rustix::fs::flock(&self.dir, FlockOperation::Unlock);
        if let Ok(mut taken) = self.slot.taken.lock() {
            *taken = false;
        }
        self.slot.free.notify_one();
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let (Some(parent), Some(name)) = (self.path.parent(), self.path.file_name())
            && let Ok(parent) =
                rustix::fs::open(parent, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
            // If another process has it, that process removes it.
            && let Ok(_held) = lock(&self.path)
        {
            let _ = view::remove_tree(parent.as_fd(), name);
        }
    }
}

/// Is the directory still at this path? Anyone may have removed or replaced it.
fn is_at(dir: &OwnedFd, path: &Path) -> bool {
    match (rustix::fs::fstat(dir), rustix::fs::lstat(path)) {
        (Ok(ours), Ok(there)) => (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino),
        _ => false,
    }
}

/// Creates a directory and locks it. An existing directory must belong to the user (otherwise
/// `EXIST`) and be free (otherwise `AGAIN`). `NOENT`: it was just removed.
fn lock(path: &Path) -> Result<OwnedFd, Errno> {
    let mode = Mode::from_raw_mode(0o755);
    match rustix::fs::mkdir(path, mode) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(dir) => dir,
        // Something else exists at the path.
        Err(Errno::NOTDIR | Errno::LOOP) => return Err(Errno::EXIST),
        Err(errno) => return Err(errno),
    };
    let found = rustix::fs::fstat(&dir)?;
    if found.st_uid != rustix::process::geteuid().as_raw() {
        return Err(Errno::EXIST);
    }
    rustix::fs::flock(&dir, FlockOperation::NonBlockingLockExclusive)?;
    // It may have been removed before it was locked.
    if !is_at(&dir, path) {
        return Err(Errno::NOENT);
    }
    rustix::fs::fchmod(&dir, mode)?;
    Ok(dir)
}
