//! The system calls that change files: their names, and which arguments name what they change.

use Object::{Below, Named, Open};

/// The flags that create a file or empty it.
pub(super) const MAKES: u32 = (libc::O_CREAT | libc::O_TRUNC) as u32;

/// The flags of a file that may be changed later.
pub(super) const WRITABLE: u32 = (libc::O_WRONLY | libc::O_RDWR) as u32;

/// How a call names what it changes, by argument numbers from 0.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    /// A descriptor.
    Open(u32),
    /// A path.
    Named(u32),
    /// A directory's descriptor, and a path from there on.
    Below(u32, u32),
}

/// A call that changes files.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) number: libc::c_long,
    /// Its name in C.
    pub(super) name: &'static str,
    pub(super) changes: &'static [Object],
    /// The call writes to an open file, which may be a pipe.
    pub(super) writes: bool,
    /// The call opens a path, which may be a device.
    pub(super) opens: bool,
    /// The call changes something only if this argument has one of the bits [`MAKES`].
    pub(super) flags: Option<u32>,
}

const fn known(number: libc::c_long, name: &'static str, changes: &'static [Object]) -> Known {
    Known {
        number,
        name,
        changes,
        writes: false,
        opens: false,
        flags: None,
    }
}

const fn writes(number: libc::c_long, name: &'static str) -> Known {
    Known {
        writes: true,
        ..known(number, name, &[Open(0)])
    }
}

const fn opens(number: libc::c_long, changes: &'static [Object], flags: Option<u32>) -> Known {
    Known {
        opens: true,
        flags,
        ..known(number, "open", changes)
    }
}

/// Calls that change nothing that a plan can count, but after which files may change.
pub(super) const MORE: &[Known] = &[
    known(libc::SYS_utimensat, "utimensat", &[Below(0, 1)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_futimesat, "futimesat", &[Below(0, 1)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_utimes, "utimes", &[Named(0)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_utime, "utime", &[Named(0)]),
    known(libc::SYS_mmap, "mmap", &[Open(4)]),
    known(libc::SYS_io_uring_setup, "io_uring_setup", &[]),
];

pub(super) const CALLS: &[Known] = &[
    writes(libc::SYS_write, "write"),
    writes(libc::SYS_pwrite64, "pwrite"),
    writes(libc::SYS_writev, "writev"),
    writes(libc::SYS_pwritev, "pwritev"),
    writes(libc::SYS_pwritev2, "pwritev"),
    opens(libc::SYS_openat, &[Below(0, 1)], Some(2)),
    opens(libc::SYS_openat2, &[Below(0, 1)], None),
    #[cfg(target_arch = "x86_64")]
    opens(libc::SYS_open, &[Named(0)], Some(1)),
    #[cfg(target_arch = "x86_64")]
    opens(libc::SYS_creat, &[Named(0)], None),
    known(libc::SYS_ftruncate, "ftruncate", &[Open(0)]),
    known(libc::SYS_truncate, "truncate", &[Named(0)]),
    known(libc::SYS_fallocate, "fallocate", &[Open(0)]),
    known(libc::SYS_copy_file_range, "copy_file_range", &[Open(2)]),
    known(libc::SYS_sendfile, "sendfile", &[Open(0)]),
    known(libc::SYS_renameat2, "rename", &[Below(0, 1), Below(2, 3)]),
    #[cfg(not(target_arch = "riscv64"))]
    known(libc::SYS_renameat, "rename", &[Below(0, 1), Below(2, 3)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_rename, "rename", &[Named(0), Named(1)]),
    known(libc::SYS_mkdirat, "mkdir", &[Below(0, 1)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_mkdir, "mkdir", &[Named(0)]),
    known(libc::SYS_mknodat, "mknod", &[Below(0, 1)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_mknod, "mknod", &[Named(0)]),
    known(libc::SYS_linkat, "link", &[Below(2, 3)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_link, "link", &[Named(1)]),
    known(libc::SYS_symlinkat, "symlink", &[Below(1, 2)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_symlink, "symlink", &[Named(1)]),
    known(libc::SYS_unlinkat, "unlink", &[Below(0, 1)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_unlink, "unlink", &[Named(0)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_rmdir, "rmdir", &[Named(0)]),
    known(libc::SYS_fchmod, "fchmod", &[Open(0)]),
    known(libc::SYS_fchmodat, "chmod", &[Below(0, 1)]),
    known(libc::SYS_fchmodat2, "chmod", &[Below(0, 1)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_chmod, "chmod", &[Named(0)]),
    known(libc::SYS_fchown, "fchown", &[Open(0)]),
    known(libc::SYS_fchownat, "chown", &[Below(0, 1)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_chown, "chown", &[Named(0)]),
    #[cfg(target_arch = "x86_64")]
    known(libc::SYS_lchown, "lchown", &[Named(0)]),
    known(libc::SYS_setxattr, "setxattr", &[Named(0)]),
    known(libc::SYS_lsetxattr, "lsetxattr", &[Named(0)]),
    known(libc::SYS_fsetxattr, "fsetxattr", &[Open(0)]),
    known(libc::SYS_removexattr, "removexattr", &[Named(0)]),
    known(libc::SYS_lremovexattr, "lremovexattr", &[Named(0)]),
    known(libc::SYS_fremovexattr, "fremovexattr", &[Open(0)]),
];
