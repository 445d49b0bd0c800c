//! Starts a command from the init. The child shares the init's memory until exec, so that no page
//! tables are copied; meanwhile the init waits.
#![expect(unsafe_code, reason = "vfork and exec")]

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, RawFd};

use rustix::fs::Mode;
use rustix::io::Errno;

use super::control::{self, Reply};
use super::descriptors::{CONTROL, EXTRA};
use super::limits;
use super::prepared::{Prepared, STACK_BYTES, Walls};
use super::program::Program;
use super::steps::{self, last_error};
use super::watch;

/// The child's instructions, and the place for its error.
struct Errand<'a> {
    prepared: &'a Prepared<'a>,
    command: usize,
    mark: u64,
    /// Its number, and which of its calls are announced.
    watched: Option<(u64, &'a [libc::sock_filter])>,
    fds: [RawFd; 3],
    channel: Option<[RawFd; 2]>,
    errno: i32,
}

/// Starts a command with three descriptors as stdin, stdout and stderr, and with two more as 3 and
/// 4 if it has a channel.
pub(super) fn start<'p>(
    prepared: &mut Prepared<'p>,
    command: usize,
    mark: u64,
    watched: Option<(u64, &'p [libc::sock_filter])>,
    fds: [RawFd; 3],
    channel: Option<[RawFd; 2]>,
) -> Result<i32, Errno> {
    let base = prepared.stack.as_mut_ptr();
    let mut errand = Errand {
        prepared,
        command,
        mark,
        watched,
        fds,
        channel,
        errno: 0,
    };
    // SAFETY: the stack has STACK_BYTES bytes and its top is aligned. With CLONE_VFORK, this
    // process continues only when the child no longer uses the stack and the errand.
    let pid = unsafe {
        let top = base.add(STACK_BYTES);
        let top = top.sub(top.addr() % 16);
        libc::clone(
            child,
            top.cast(),
            libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
            (&raw mut errand).cast(),
        )
    };
    if pid < 0 {
        return Err(last_error());
    }
    // SAFETY: the child wrote it, through a pointer that the compiler cannot follow.
    let errno = unsafe { (&raw const errand.errno).read_volatile() };
    if errno == 0 {
        return Ok(pid);
    }
    // SAFETY: reaps the child that has just failed, so that its exit is not reported.
    unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL) };
    Err(steps::errno(errno))
}

extern "C" fn child(errand: *mut libc::c_void) -> i32 {
    // SAFETY: `start` passes a live errand, and waits.
    let errand = unsafe { &mut *errand.cast::<Errand<'_>>() };
    if let Err(errno) = become_subject(errand) {
        errand.errno = errno.raw_os_error();
    }
    127
}

fn become_subject(errand: &Errand<'_>) -> Result<(), Errno> {
    let prepared = errand.prepared;
    let program = prepared.programs.get(errand.command).ok_or(Errno::INVAL)?;
    rustix::process::setsid()?;
    for (to, from) in (0..).zip(errand.fds) {
        // SAFETY: only numbers; the table of descriptors is the child's own. None of `from` is
        // below 3, because the init's own descriptors start there.
        if unsafe { libc::dup2(from, to) } < 0 {
            return Err(last_error());
        }
    }
    limits::mark(errand.mark)?;
    rustix::process::umask(Mode::from_raw_mode(program.umask));
    // SAFETY: the text lives as long as the program.
    rustix::process::chdir(unsafe { CStr::from_ptr(program.cwd) })?;
    rustix::thread::sched_setaffinity(None, &program.cpus).ok();
    match &prepared.walls {
        Walls::Namespaces { .. } if program.kept != limits::KEPT => {
            limits::bound_capabilities(program.kept)?;
        }
        // The init has already done it.
        Walls::Namespaces { .. } => {}
        Walls::Processes { landlock, .. } => {
            // SAFETY: plain system calls; the death signal reaches the child when the init ends.
            unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if landlock.is_some()
                    && libc::syscall(libc::SYS_landlock_restrict_self, EXTRA, 0) != 0
                {
                    return Err(last_error());
                }
            }
        }
    }
    let filter = libc::sock_fprog {
        len: prepared.filter.len() as libc::c_ushort,
        filter: prepared.filter.as_ptr().cast_mut(),
    };
    // SAFETY: the filter outlives the call, which only reads it.
    unsafe {
        if libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW,
            &raw const filter,
        ) != 0
        {
            return Err(last_error());
        }
    }
    if let Some((number, filter)) = errand.watched {
        announce(number, filter)?;
    }
    let mut kept = 3;
    if let Some(channel) = errand.channel {
        // Moves both away first: one end may have the number that the other needs.
        let mut ends = [0; 2];
        for (end, from) in ends.iter_mut().zip(channel) {
            // SAFETY: only numbers; the table of descriptors is the child's own.
            *end = unsafe { libc::fcntl(from, libc::F_DUPFD_CLOEXEC, 16) };
            if *end < 0 {
                return Err(last_error());
            }
        }
        for (to, from) in (3..).zip(ends) {
            // SAFETY: as above. The old descriptors of these numbers are no longer needed.
            if unsafe { libc::dup2(from, to) } < 0 {
                return Err(last_error());
            }
        }
        kept = 5;
    }
    // SAFETY: closes every other descriptor, and unblocks all signals.
    unsafe {
        libc::syscall(libc::SYS_close_range, kept, u32::MAX, 0);
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
    Err(execute(program))
}

/// Has the calling process run a program. Returns only if that fails.
pub(super) fn execute(program: &Program) -> Errno {
    let mut failure = Errno::NOENT;
    for candidate in &program.candidates {
        // SAFETY: the arrays of pointers end with null, and their texts live as long as the
        // program.
        unsafe {
            libc::execve(*candidate, program.argv.as_ptr(), program.envp.as_ptr());
        }
        match last_error() {
            Errno::NOENT | Errno::NOTDIR => {}
            Errno::ACCESS => failure = Errno::ACCESS,
            errno => return errno,
        }
    }
    failure
}

/// Lets the kernel announce calls that change files to the harness, if it can.
fn announce(number: u64, filter: &[libc::sock_filter]) -> Result<(), Errno> {
    let Ok(listener) = watch::listen(filter) else {
        return Ok(());
    };
    let reply = Reply {
        kind: control::WATCHED,
        a: number,
        ..Reply::default()
    };
    // SAFETY: the control socket is also in the child's table of descriptors.
    let control = unsafe { BorrowedFd::borrow_raw(CONTROL) };
    control::send_reply(control, reply, &[listener.as_fd()], None)
}
