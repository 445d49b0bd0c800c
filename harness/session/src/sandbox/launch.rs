//! Copies the harness into the init of a new sandbox.
#![expect(unsafe_code, reason = "clone3")]

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType};

use super::init;
use super::prepared::{Network, Prepared, Walls};
use super::steps;

/// A running init.
#[derive(Debug)]
pub(super) struct Launched {
    pub(super) pidfd: OwnedFd,
    pub(super) pid: i32,
    pub(super) control: OwnedFd,
}

/// Wider than libc's constant of this name.
const CLONE_CLEAR_SIGHAND: u64 = 1 << 32;

/// Starts the init. No signal reaches it, and its end raises none in the harness.
pub(super) fn launch(prepared: &mut Prepared<'_>) -> Result<Launched, Errno> {
    let (control, theirs) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?;
    rustix::net::sockopt::set_socket_passcred(&control, true)?;
    let mut flags = libc::CLONE_PIDFD as u64 | CLONE_CLEAR_SIGHAND;
    if let Walls::Namespaces { user, network, .. } = &prepared.walls {
        flags |= (libc::CLONE_NEWNS
            | libc::CLONE_NEWPID
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS
            | libc::CLONE_NEWCGROUP) as u64;
        if matches!(network, Network::Fresh) {
            flags |= libc::CLONE_NEWNET as u64;
        }
        if user.is_some() {
            flags |= libc::CLONE_NEWUSER as u64;
        }
    }
    let mut pidfd: RawFd = -1;
    // SAFETY: the structure is plain data; all of it that matters is set.
    let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
    arguments.flags = flags;
    arguments.pidfd = (&raw mut pidfd).addr() as u64;
    let theirs_raw = theirs.as_raw_fd();
    // SAFETY: all signals are blocked over the clone, so that no handler of the harness runs in
    // the copy, and restored here. Without CLONE_VM the copy has memory and a stack of its own; it
    // makes system calls alone, on data that is complete, and never returns from `init::run`.
    let pid = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let pid = libc::syscall(
            libc::SYS_clone3,
            &raw mut arguments,
            size_of::<libc::clone_args>(),
        );
        if pid == 0 {
            init::run(prepared, theirs_raw);
        }
        let failed = (pid < 0).then(steps::last_error);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        if let Some(errno) = failed {
            return Err(errno);
        }
        pid
    };
    // SAFETY: clone3 has just made this descriptor.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    Ok(Launched {
        pidfd,
        pid: i32::try_from(pid).map_err(|_| Errno::OVERFLOW)?,
        control,
    })
}

/// Waits until the init has ended and reaps it: false when it has not within the time.
pub(super) fn reap(pidfd: &OwnedFd, milliseconds: i32) -> bool {
    let mut poll = libc::pollfd {
        fd: pidfd.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one live pollfd; then waitid on a descriptor that is ours, with room for its answer.
    unsafe {
        loop {
            match libc::poll(&raw mut poll, 1, milliseconds) {
                0 => return false,
                count if count > 0 => break,
                _ if steps::last_error() == Errno::INTR => {}
                _ => return false,
            }
        }
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let id = pidfd.as_raw_fd().unsigned_abs();
        libc::waitid(
            libc::P_PIDFD,
            id,
            &raw mut info,
            libc::WEXITED | libc::__WALL,
        ) == 0
    }
}
