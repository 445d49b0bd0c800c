//! Files of a sandbox, handled by the harness: to spoil a state, or to set traps.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{Error, Sandbox};

impl Sandbox {
    /// Reads a file of the sandbox, at most `most` bytes. As in all that follow, the path is
    /// absolute and as the subject sees it; no link on it is followed, at its end neither.
    ///
    /// # Errors
    ///
    /// When it is missing, no regular file, or behind a link.
    pub fn read_file(&self, path: &[u8], most: u64) -> Result<Vec<u8>, Error> {
        self.view.read(as_path(path), most)
    }

    /// Writes a file of the sandbox, with the directories above it. A file that is there keeps its
    /// owner and permissions; a new one gets 0644.
    ///
    /// # Errors
    ///
    /// When something else stands there, or a link is on the way.
    pub fn write_file(&self, path: &[u8], content: &[u8]) -> Result<(), Error> {
        self.view.write(as_path(path), content, None)
    }

    /// Makes a directory of the sandbox with permissions 0755.
    ///
    /// # Errors
    ///
    /// When something stands there, or a link is on the way.
    pub fn mkdir(&self, path: &[u8]) -> Result<(), Error> {
        self.view.directory(as_path(path), 0o755)
    }

    /// Makes a symbolic link.
    ///
    /// # Errors
    ///
    /// When something stands there, or a link is on the way.
    pub fn symlink(&self, path: &[u8], to: &[u8]) -> Result<(), Error> {
        self.view.symlink(as_path(path), as_path(to))
    }

    /// Removes a file, a link, or a directory with all that is in it.
    ///
    /// # Errors
    ///
    /// When it is missing, or a link is on the way.
    pub fn remove(&self, path: &[u8]) -> Result<(), Error> {
        self.view.remove(as_path(path))
    }

    /// Sets permissions.
    ///
    /// # Errors
    ///
    /// When it is missing, a link, or behind one.
    pub fn chmod(&self, path: &[u8], mode: u32) -> Result<(), Error> {
        self.view.chmod(as_path(path), mode)
    }

    /// Sets owner and group. Only root can.
    ///
    /// # Errors
    ///
    /// When it is missing, behind a link, or not permitted.
    pub fn chown(&self, path: &[u8], uid: u32, gid: u32) -> Result<(), Error> {
        self.view.chown(as_path(path), uid, gid)
    }
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}
