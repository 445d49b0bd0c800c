//! What a plan is made of.

use std::ffi::CString;
use std::fmt;
use std::path::PathBuf;

/// One thing that the init does. Owned C strings, so that it needs no memory of its own.
#[derive(Debug)]
pub(super) enum Step {
    /// Makes a directory; one that exists is left alone.
    Directory {
        path: CString,
        mode: u32,
        owner: Option<(u32, u32)>,
    },
    /// Makes an empty file to bind on.
    File { path: CString },
    /// Makes a symbolic link.
    Symlink { path: CString, to: CString },
    /// Makes a character device.
    Device {
        path: CString,
        major: u32,
        minor: u32,
    },
    /// Hides what the lower directory holds: `path` in an upper directory is all there is.
    Opaque { path: CString, attribute: CString },
    /// Mounts a file system of a type.
    Mount {
        kind: CString,
        at: CString,
        flags: u64,
        data: CString,
    },
    /// Binds a directory or file, with what is mounted below it when `recursive`.
    Bind {
        from: CString,
        at: CString,
        recursive: bool,
    },
    /// Makes a mount read-only, with what is mounted below it when `recursive`.
    ReadOnly { at: CString, recursive: bool },
    /// Writes a short text to a file; failure is nothing.
    Setting { path: CString, text: CString },
}

/// What a step is for: tells how the plan changes when it fails.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    /// Nothing goes without it.
    Essential,
    /// Shows this directory of the host.
    Show(PathBuf),
    /// Shows /sys.
    Sys,
    /// Device files.
    Devices,
    /// Terminals of its own.
    Terminals,
    /// The bound on process ids.
    Bound,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, path) = match self {
            Self::Directory { path, .. } => ("making the directory", path),
            Self::File { path } => ("making the file", path),
            Self::Symlink { path, .. } => ("making the link", path),
            Self::Device { path, .. } => ("making the device", path),
            Self::Opaque { path, .. } => ("setting an attribute of", path),
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
