//! The steps of a plan.

use std::ffi::CString;
use std::fmt;
use std::path::PathBuf;

/// One action of the init. The C strings are owned, so that the init need not allocate.
#[derive(Debug)]
pub(super) enum Step {
    /// Creates a directory; an existing one stays unchanged.
    Directory {
        path: CString,
        mode: u32,
        owner: Option<(u32, u32)>,
    },
    /// Creates an empty file as a mount point.
    File { path: CString },
    /// Makes a symbolic link.
    Symlink { path: CString, to: CString },
    /// Makes a character device.
    Device {
        path: CString,
        major: u32,
        minor: u32,
    },
    /// Mounts a file system of a type.
    Mount {
        kind: CString,
        at: CString,
        flags: u64,
        data: CString,
    },
    /// Binds a directory or file, including the mounts below it if `recursive`.
    Bind {
        from: CString,
        at: CString,
        recursive: bool,
    },
    /// Makes a mount read-only, including the mounts below it if `recursive`.
    ReadOnly { at: CString, recursive: bool },
    /// Writes a short text to a file; errors are ignored.
    Setting { path: CString, text: CString },
}

/// What a step is for, which decides how the plan changes if it fails.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    /// The sandbox cannot work without it.
    Essential,
    /// Shows this directory of the host.
    Show(PathBuf),
    /// Shows /sys.
    Sys,
    /// Device files.
    Devices,
    /// A separate terminal file system.
    Terminals,
    /// The limit on process ids.
    Bound,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, path) = match self {
            Self::Directory { path, .. } => ("making the directory", path),
            Self::File { path } => ("making the file", path),
            Self::Symlink { path, .. } => ("making the link", path),
            Self::Device { path, .. } => ("making the device", path),
            Self::Mount { kind, at, .. } => {
                return write!(
                    f,
                    "mounting {} on {}",
                    kind.to_string_lossy(),
                    at.to_string_lossy()
                );
            }
            Self::Bind { from, .. } => ("binding", from),
            Self::ReadOnly { at, .. } => ("making read-only", at),
            Self::Setting { path, .. } => ("setting", path),
        };
        write!(f, "{what} {}", path.to_string_lossy())
    }
}
