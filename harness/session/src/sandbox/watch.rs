//! Holds a subject before each of its system calls that change files, so that it can be killed
//! right there, or the call can fail.
//!
//! The calls are announced by the kernel (seccomp's user notification, Linux 5.5), wait, and then
//! mostly go on as they came. Where the kernel has no such thing, a command runs unwatched.
#![expect(unsafe_code, reason = "seccomp and its ioctls")]

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

use libc::SECCOMP_RET_USER_NOTIF;
use libc::{SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV};
use libc::{seccomp_notif, seccomp_notif_resp, sock_filter};
use rustix::io::Errno;

use super::seccomp::{self, Verdict, When};
use super::steps::last_error;

/// Makes a file, or empties one.
const MAKES: u32 = (libc::O_CREAT | libc::O_TRUNC) as u32;

/// Calls that write to what is open, their first argument.
const WRITES: [libc::c_long; 5] = [
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
];

/// Calls that open what their first argument names.
const OPENS: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_creat,
];

/// The other calls that change files.
const CHANGES: &[libc::c_long] = &[
    libc::SYS_openat2,
    libc::SYS_ftruncate,
    libc::SYS_truncate,
    libc::SYS_fallocate,
    libc::SYS_copy_file_range,
    libc::SYS_sendfile,
    libc::SYS_renameat2,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_unlinkat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    #[cfg(not(target_arch = "riscv64"))]
    libc::SYS_renameat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_creat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mknod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];

/// The filter that has these calls announced, and lets all others pass.
pub(super) fn filter() -> Vec<sock_filter> {
    let tell = |number: libc::c_long, when| (number as u32, when, SECCOMP_RET_USER_NOTIF);
    let always = WRITES.iter().chain(CHANGES);
    let mut verdicts: Vec<Verdict> = always.map(|number| tell(*number, When::Always)).collect();
    verdicts.push(tell(libc::SYS_openat, When::Bits(2, MAKES)));
    #[cfg(target_arch = "x86_64")]
    verdicts.push(tell(libc::SYS_open, When::Bits(1, MAKES)));
    seccomp::native(verdicts)
}

/// Has the calling process, and all that it starts, announce its calls to a listener.
pub(super) fn listen(filter: &[sock_filter]) -> Result<OwnedFd, Errno> {
    let program = libc::sock_fprog {
        len: filter.len() as libc::c_ushort,
        filter: filter.as_ptr().cast_mut(),
    };
    // Without the second flag, older than 5.19, a signal restarts a call, which then counts twice.
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

/// The harness's end of a watched command. Dropped, it makes the calls that it watches fail.
#[derive(Debug)]
pub struct Watch(pub(super) OwnedFd);

/// A call that waits.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    id: u64,
    /// It changes a file, as far as that can be told before.
    pub changes: bool,
}

impl Watch {
    /// The next call that waits, without waiting for one; nothing where it was given up meanwhile.
    pub fn next(&self) -> Option<Call> {
        // SAFETY: the kernel wants zeroes, and fills them in.
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
        let [first, second, ..] = call.data.args;
        let changes = if WRITES.contains(&number) {
            is_file(call.pid, first)
        } else if number == libc::SYS_openat || number == libc::SYS_openat2 {
            !is_device(call.pid, second)
        } else if OPENS.contains(&number) {
            !is_device(call.pid, first)
        } else {
            true
        };
        Some(Call {
            id: call.id,
            changes,
        })
    }

    /// Lets a call go on.
    pub fn allow(&self, call: Call) {
        self.answer(call, 0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32);
    }

    /// Has a call fail.
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
        // SAFETY: a live answer, which is only read. It fails where the caller is gone.
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

/// What is printed into a pipe changes no file.
fn is_file(pid: u32, fd: u64) -> bool {
    let path = format!("/proc/{pid}/fd/{fd}");
    std::fs::metadata(path).is_ok_and(|open| open.is_file())
}

/// To open `/dev/null` for writing, as shells do, changes no file. What can't be read may be one.
fn is_device(pid: u32, path: u64) -> bool {
    let mut start = [0; 9];
    let read =
        File::open(format!("/proc/{pid}/mem")).and_then(|memory| memory.read_at(&mut start, path));
    let start = read
        .ok()
        .and_then(|read| start.get(..read))
        .unwrap_or_default();
    start.starts_with(b"/dev/") && !start.starts_with(b"/dev/shm/")
}
