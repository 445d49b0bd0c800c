//! The scratch directory of the tiers without overlays: one of the machine's own, in which
//! sandboxes take turns, so that every case sees the same paths.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::Error;
use super::plan::{SCRATCH, SUBFOLDERS};
use super::view;

/// Longer than any session.
const PATIENCE: Duration = Duration::from_secs(3600);

/// A directory that this process alone uses; removed in the end.
#[derive(Debug)]
pub(super) struct Slot {
    path: PathBuf,
    /// Locked, so that other processes leave it alone.
    dir: OwnedFd,
    taken: Mutex<bool>,
    free: Condvar,
}

/// The right to use the directory, which is emptied afterwards.
#[derive(Debug)]
pub(super) struct Turn {
    slot: Arc<Slot>,
}

impl Slot {
    /// Takes the usual path, or one beside it when somebody else has it.
    pub(super) fn new() -> Result<Arc<Self>, Error> {
        let usual = PathBuf::from(SCRATCH);
        let own = std::env::temp_dir()
            .canonicalize()
            .unwrap_or_else(|_| PathBuf::from("/tmp"));
        let others =
            (0..1000).map(|number| own.join(format!("stickler-{}-{number}", std::process::id())));
        let mut failed = None;
        for path in [usual].into_iter().chain(others) {
            match lock(&path) {
                Ok(dir) => {
                    let (taken, free) = (Mutex::new(false), Condvar::new());
                    return Ok(Arc::new(Self {
                        path,
                        dir,
                        taken,
                        free,
                    }));
                }
                Err(Errno::EXIST | Errno::AGAIN | Errno::ACCESS | Errno::PERM) => {}
                Err(errno) => failed = Some((path, errno)),
            }
        }
        let (path, errno) = failed.unwrap_or((own, Errno::EXIST));
        Err(Error::Scratch {
            path,
            source: errno.into(),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the directory, and fills it with the empty subfolders.
    pub(super) fn take(self: &Arc<Self>) -> Result<Turn, Error> {
        let error = |errno: Errno| Error::Scratch {
            path: self.path.clone(),
            source: errno.into(),
        };
        let taken = self.taken.lock().map_err(|_| error(Errno::DEADLK))?;
        let (mut taken, wait) = self
            .free
            .wait_timeout_while(taken, PATIENCE, |taken| *taken)
            .map_err(|_| error(Errno::DEADLK))?;
        if wait.timed_out() {
            return Err(error(Errno::BUSY));
        }
        *taken = true;
        drop(taken);
        let turn = Turn {
            slot: Arc::clone(self),
        };
        view::empty(&self.dir).map_err(error)?;
        for name in SUBFOLDERS {
            rustix::fs::mkdirat(&self.dir, name, Mode::from_raw_mode(0o755)).map_err(error)?;
        }
        view::chmod(&self.dir, 0o755).map_err(error)?;
        Ok(turn)
    }
}

impl Turn {
    pub(super) fn dir(&self) -> &OwnedFd {
        &self.slot.dir
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let _ = view::empty(&self.slot.dir);
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
            && is_at(&self.dir, &self.path)
        {
            let _ = view::remove_tree(parent.as_fd(), name);
        }
    }
}

/// Whether a path still leads to a directory: anybody may have removed or replaced it.
fn is_at(dir: &OwnedFd, path: &Path) -> bool {
    match (rustix::fs::fstat(dir), rustix::fs::lstat(path)) {
        (Ok(ours), Ok(there)) => (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino),
        _ => false,
    }
}

/// Makes a directory and locks it; one that is there already must be the user's own, and free.
fn lock(path: &Path) -> Result<OwnedFd, Errno> {
    let mode = Mode::from_raw_mode(0o755);
    match rustix::fs::mkdir(path, mode) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(dir) => dir,
        // Something else stands there.
        Err(Errno::NOTDIR | Errno::LOOP) => return Err(Errno::EXIST),
        Err(errno) => return Err(errno),
    };
    let found = rustix::fs::fstat(&dir)?;
    if found.st_uid != rustix::process::geteuid().as_raw() {
        return Err(Errno::EXIST);
    }
    rustix::fs::flock(&dir, FlockOperation::NonBlockingLockExclusive)?;
    // It may have been removed between making and locking it.
    if !is_at(&dir, path) {
        return Err(Errno::EXIST);
    }
    rustix::fs::fchmod(&dir, mode)?;
    Ok(dir)
}
