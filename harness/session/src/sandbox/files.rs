//! Lets the harness change files of a sandbox, to disturb a state or to set traps.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{Error, Sandbox};

impl Sandbox {
    /// Reads a file of the sandbox, at most `most` bytes. As in all functions here, the path is
    /// absolute, as the subject sees it, and no link in it is followed, not even the last
    /// component.
    ///
    /// # Errors
    ///
    /// If it is missing, not a regular file, or behind a link.
    pub fn read_file(&self, path: &[u8], most: u64) -> Result<Vec<u8>, Error> {
        self.view.read(as_path(path), most)
    }

    /// Writes a file of the sandbox and creates the directories above it. An existing file keeps
    /// its owner and permissions; a new one gets 0644.
    ///
    /// # Errors
    ///
    /// If something else exists at the path, or if a link is in it.
    pub fn write_file(&self, path: &[u8], content: &[u8]) -> Result<(), Error> {
        self.view.write(as_path(path), content, None)
    }

    /// Creates a directory of the sandbox with permissions 0755.
    ///
    /// # Errors
    ///
    /// If something exists at the path, or if a link is in it.
    pub fn mkdir(&self, path: &[u8]) -> Result<(), Error> {
        self.view.directory(as_path(path), 0o755)
    }

    /// Creates a symbolic link.
    ///
    /// # Errors
    ///
    /// If something exists at the path, or if a link is in it.
    pub fn symlink(&self, path: &[u8], to: &[u8]) -> Result<(), Error> {
        self.view.symlink(as_path(path), as_path(to))
    }

    /// Removes a file, a link, or a directory with its contents.
    ///
    /// # Errors
    ///
    /// If it is missing, or if a link is in the path.
    pub fn remove(&self, path: &[u8]) -> Result<(), Error> {
        self.view.remove(as_path(path))
    }

    /// Sets permissions.
    ///
    /// # Errors
    ///
    /// If it is missing, a link, or behind one.
    pub fn chmod(&self, path: &[u8], mode: u32) -> Result<(), Error> {
        self.view.chmod(as_path(path), mode)
    }

    /// Sets owner and group. Only root can.
    ///
    /// # Errors
    ///
    /// If it is missing, behind a link, or not permitted.
    pub fn chown(&self, path: &[u8], uid: u32, gid: u32) -> Result<(), Error> {
        self.view.chown(as_path(path), uid, gid)
    }
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}
