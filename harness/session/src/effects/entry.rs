//! The entry at a path: a file, a directory or something else.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The BLAKE3 digest of a file's content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
}

impl FileKind {
    /// The name of the type.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Symlink => "symlink",
            Self::Fifo => "fifo",
            Self::Socket => "socket",
            Self::Device => "device",
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The entry at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its type.
    pub kind: FileKind,
    /// Permissions with set-id and sticky bits, at most `0o7777`.
    pub mode: u32,
    /// The owner's number.
    pub uid: u32,
    /// The group's number.
    pub gid: u32,
    /// Length of a file or of a link's target in bytes; otherwise 0.
    pub size: u64,
    /// The digest of a regular file, if the snapshot could read it within its limits.
    pub digest: Option<Digest>,
    /// Where a symbolic link points.
    pub link: Option<Vec<u8>>,
    /// The content of a regular file, within the limits of a snapshot.
    pub content: Option<Arc<[u8]>>,
    /// Extended attributes of a file or directory.
    pub xattrs: BTreeMap<Vec<u8>, Vec<u8>>,
    /// When the content last changed: seconds and nanoseconds since 1970.
    pub modified: (i64, u32),
    /// Its inode number.
    pub inode: u64,
    /// The device numbers of a device.
    pub device: (u32, u32),
}
