//! Stops a subject before each of its system calls that change files, so that the harness can kill
//! it there or make the call fail. Or only before those after which files may have changed, so that
//! the harness need not look at files that nobody touched.
//!
//! The kernel announces the calls (seccomp's user notification, Linux 5.5). They wait, and usually
//! continue unchanged. If the kernel does not support this, a command runs unwatched.
#![expect(unsafe_code, reason = "seccomp and its ioctls")]

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use libc::SECCOMP_RET_USER_NOTIF;
use libc::{SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV};
use libc::{seccomp_notif, seccomp_notif_resp, sock_filter};
use rustix::io::Errno;

use super::caller;
use super::calls::{CALLS, Known, MAKES, MORE, Object, WRITABLE};
use super::seccomp::{self, When};
use super::steps::last_error;

/// The filter that announces these calls, and lets all others pass.
pub(super) fn filter() -> Vec<sock_filter> {
    let verdicts = CALLS.iter().map(|known| {
        let when = match known.flags {
            Some(argument) => When::Bits(argument, MAKES),
            None => When::Always,
        };
        (known.number as u32, when, SECCOMP_RET_USER_NOTIF)
    });
    seccomp::native(verdicts.collect())
}

/// The filter that announces the calls after which files may have changed: not each write, but the
/// opening of what is written.
pub(super) fn touches() -> Vec<sock_filter> {
    let calls = CALLS.iter().filter(|known| !known.writes);
    let verdicts = calls.chain(MORE).map(|known| {
        let when = match known.flags {
            Some(argument) => When::Bits(argument, MAKES | WRITABLE),
            None if known.number == libc::SYS_mmap => When::Bits(3, libc::MAP_SHARED as u32),
            None => When::Always,
        };
        (known.number as u32, when, SECCOMP_RET_USER_NOTIF)
    });
    seccomp::native(verdicts.collect())
}

/// Lets a listener receive the calls of the calling process and of all its descendants.
pub(super) fn listen(filter: &[sock_filter]) -> Result<OwnedFd, Errno> {
    let program = libc::sock_fprog {
        len: filter.len() as libc::c_ushort,
        filter: filter.as_ptr().cast_mut(),
    };
    // Without the second flag (before Linux 5.19), a signal restarts a call, which then counts
    // twice.
    for flags in [
        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
        SECCOMP_FILTER_FLAG_NEW_LISTENER,
    ] {
        // SAFETY: the filter outlives the call, which only reads it.
        let listener = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                &raw const program,
            )
        };
        if let Ok(listener) = i32::try_from(listener)
            && listener >= 0
        {
            // SAFETY: seccomp has just made this descriptor.
            return Ok(unsafe { OwnedFd::from_raw_fd(listener) });
        }
    }
    Err(last_error())
}

/// The harness's end of a watched command. Once it is dropped, the watched calls fail.
#[derive(Debug)]
pub struct Watch(pub(super) OwnedFd);

/// A waiting call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    id: u64,
    /// The thread that makes it.
    pid: u32,
    /// `None` if the table does not have this call.
    known: Option<&'static Known>,
    arguments: [u64; 6],
    /// Does it change a file, as far as this is known beforehand?
    pub changes: bool,
}

impl Call {
    /// Its name in C.
    pub fn name(&self) -> &'static str {
        self.known.map_or("unknown", |known| known.name)
    }

    /// The paths that it changes, as its process sees them. Only readable while it waits;
    /// unreadable paths are left out.
    pub fn paths(&self) -> Vec<Vec<u8>> {
        let objects = self.known.map(|known| known.changes).unwrap_or_default();
        let paths = objects.iter().filter_map(|object| match *object {
            Object::Open(fd) => caller::open_file(self.pid, self.argument(fd)),
            Object::Named(path) => caller::named(self.pid, None, self.argument(path)),
            Object::Below(dir, path) => {
                caller::named(self.pid, Some(self.argument(dir)), self.argument(path))
            }
        });
        paths.collect()
    }

    /// The names of its program and of the programs that started it, up to but excluding the
    /// process `first`.
    pub fn programs(&self, first: i32) -> Vec<Vec<u8>> {
        caller::programs(self.pid, first)
    }

    fn argument(&self, number: u32) -> u64 {
        self.arguments.get(number as usize).copied().unwrap_or(0)
    }

    /// May the caller change a file from now on without another announced call? `ours` is the
    /// device of files that the harness shares with it.
    pub fn lasts(&self, ours: Option<u64>) -> bool {
        match self.known.map(|known| known.number) {
            Some(libc::SYS_mmap) => {
                let writes = self.argument(2) & libc::PROT_WRITE as u64 != 0;
                let device = caller::device(self.pid, self.argument(4));
                writes && device.is_some_and(|device| Some(device) != ours)
            }
            Some(number) => number == libc::SYS_io_uring_setup,
            None => false,
        }
    }

    /// Does it open a file that the caller may write to as long as it is open?
    pub fn opens(&self) -> bool {
        self.known.is_some_and(|known| known.opens)
    }

    /// Writing to a pipe changes no file, and neither does opening `/dev/null`, as shells do. If
    /// the path is unreadable, the call may change a file.
    fn changes_file(&self) -> bool {
        match self.known {
            Some(known) if known.writes => caller::is_file(self.pid, self.argument(0)),
            Some(known) if known.opens => self
                .paths()
                .iter()
                .all(|path| !path.starts_with(b"/dev/") || path.starts_with(b"/dev/shm/")),
            // What is mapped is told apart by `lasts`.
            Some(known) => known.number != libc::SYS_mmap,
            None => true,
        }
    }
}

impl Watch {
    /// The next waiting call, without blocking; `None` if it was cancelled meanwhile.
    pub fn next(&self) -> Option<Call> {
        // SAFETY: the kernel requires zeroed memory, and fills it in.
        let call = unsafe {
            let mut call: seccomp_notif = std::mem::zeroed();
            if libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_RECV,
                &raw mut call,
            ) != 0
            {
                return None;
            }
            call
        };
        let number = libc::c_long::from(call.data.nr);
        let mut waiting = Call {
            id: call.id,
            pid: call.pid,
            known: CALLS
                .iter()
                .chain(MORE)
                .find(|known| known.number == number),
            arguments: call.data.args,
            changes: true,
        };
        waiting.changes = waiting.changes_file();
        Some(waiting)
    }

    /// Lets a call continue.
    pub fn allow(&self, call: Call) {
        self.answer(call, 0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32);
    }

    /// Makes a call fail.
    pub fn refuse(&self, call: Call, errno: Errno) {
        self.answer(call, -errno.raw_os_error(), 0);
    }

    fn answer(&self, call: Call, error: i32, flags: u32) {
        let answer = seccomp_notif_resp {
            id: call.id,
            val: 0,
            error,
            flags,
        };
        // SAFETY: a live answer, which is only read. It fails if the caller has ended.
        unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_SEND,
                &raw const answer,
            );
        }
    }
}

impl AsFd for Watch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
