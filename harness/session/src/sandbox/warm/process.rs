//! The process of a warmer.
#![expect(unsafe_code, reason = "what a child does before it runs a program")]

use std::ffi::CStr;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use rustix::thread::{CpuSet, sched_setaffinity};

use super::super::limits::{self, Limits};
use super::super::program::{self, Program};
use super::super::spec::Command;
use super::super::{init, steps, vfork};
use super::order::{NEEDED, Order, Started};

/// An interpreter that makes copies of itself. Dropping it ends the process.
#[derive(Debug)]
pub(super) struct Warmer {
    child: Child,
    socket: OwnedFd,
    /// Did it fail once? Then it makes no more copies.
    failed: bool,
}

/// The init of a nursery, what processes may use, and the CPUs of the harness.
pub(super) type Nursery<'n> = (BorrowedFd<'n>, &'n Limits, &'n CpuSet);

/// How long a warmer may take until it serves.
const PATIENCE: Duration = Duration::from_secs(10);
/// The number of the descriptor of a warmer's socket.
pub(super) const CHANNEL: i32 = 1000;
/// The most descriptors of an order: two of its own, and a subject's.
const MOST: usize = 7;
/// How long a warmer may take to start, in seconds. Then it is killed, even if the harness has ended.
const STARTING: u32 = 20;
/// How long a copy may take.
const COPYING: Duration = Duration::from_secs(20);

impl Warmer {
    /// Runs a command, which has a hook in the nursery, and waits until it serves.
    pub(super) fn start((init, limits, cpus): Nursery<'_>, command: &Command) -> Option<Self> {
        let kind = SocketType::SEQPACKET;
        let (socket, theirs) =
            socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).ok()?;
        // As a subject has them: Python looks at what they are when it starts.
        let ((stdin, _in), (out, stdout), (err, stderr)) = (
            std::io::pipe().ok()?,
            std::io::pipe().ok()?,
            std::io::pipe().ok()?,
        );
        let mut bytes = Vec::new();
        program::write(command, &mut bytes).ok()?;
        let errand = Errand {
            init: init.as_raw_fd(),
            socket: theirs.as_raw_fd(),
            program: Program::read(&mut &*bytes, cpus)?,
            cpus: *cpus,
            limits: limits.clone(),
        };
        // The errand runs the program itself, with the variables in their order.
        let mut warmer = std::process::Command::new("python3");
        warmer
            .stdin(Stdio::from(OwnedFd::from(stdin)))
            .stdout(Stdio::from(OwnedFd::from(stdout)))
            .stderr(Stdio::from(OwnedFd::from(stderr)));
        // SAFETY: the closure only makes system calls with data that was prepared before.
        unsafe { warmer.pre_exec(move || Err(errand.carry_out().into())) };
        let child = warmer.spawn().ok()?;
        drop(theirs);
        let warmer = Self {
            child,
            socket,
            failed: false,
        };
        let ready = receive(warmer.socket.as_fd(), PATIENCE).ok()?;
        // What it has already printed, no copy would print.
        let mut printed = [&out, &err].map(|end| PollFd::new(end, PollFlags::IN));
        let is_silent = poll(&mut printed, Some(&Timespec::default())) == Ok(0);
        (ready.text == b"ready" && is_silent).then_some(warmer)
    }

    /// Starts a process. `None` if that fails.
    pub(super) fn copy(&mut self, order: &Order<'_>) -> Option<Started> {
        if self.failed {
            return None;
        }
        let text = order.text();
        self.try_copy(order, text.as_bytes())
    }

    fn try_copy(&mut self, order: &Order<'_>, text: &[u8]) -> Option<Started> {
        let kind = SocketType::SEQPACKET;
        let (own, theirs) =
            socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).ok()?;
        rustix::net::sockopt::set_socket_passcred(&own, true).ok()?;
        let mut fds = vec![theirs.as_fd(), order.init];
        fds.extend(order.ends);
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
        let mut with = SendAncillaryBuffer::new(&mut space);
        if !with.push(SendAncillaryMessage::ScmRights(&fds)) {
            return None;
        }
        let parts = [IoSlice::new(text)];
        let sent = sendmsg(&self.socket, &parts, &mut with, SendFlags::NOSIGNAL);
        drop(theirs);
        let done = sent.and_then(|_| receive(self.socket.as_fd(), COPYING));
        let done = done.ok().filter(|done| !done.text.is_empty());
        self.failed = done.is_none();
        let done = done?;
        if done.text != b"0" {
            return None;
        }
        let ready = receive(own.as_fd(), COPYING).ok()?;
        let inside = std::str::from_utf8(&ready.text).ok()?.parse().ok()?;
        let outside = ready.pid?;
        let mark = Rlimit {
            current: Some(order.mark),
            maximum: Some(order.mark),
        };
        prlimit(Some(outside), Resource::Locks, mark).ok()?;
        let cpus = program::cpus(order.command.cpu, order.cpus);
        sched_setaffinity(Some(outside), &cpus).ok();
        Some(Started {
            own,
            inside,
            outside: outside.as_raw_nonzero().get(),
            listener: ready.fds.into_iter().next(),
        })
    }
}

impl Drop for Warmer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the child does before it becomes the interpreter.
struct Errand {
    init: RawFd,
    socket: RawFd,
    program: Program,
    /// All that the harness may use; the thread that starts a warmer may be pinned.
    cpus: CpuSet,
    limits: Limits,
}

// SAFETY: the pointers of the program are to its own texts, which nothing changes.
unsafe impl Send for Errand {}
// SAFETY: as above.
unsafe impl Sync for Errand {}

impl Errand {
    /// Returns only if that fails.
    fn carry_out(&self) -> Errno {
        self.prepare()
            .err()
            .unwrap_or_else(|| vfork::execute(&self.program))
    }

    fn prepare(&self) -> Result<(), Errno> {
        init::reset_signals();
        // SAFETY: plain system calls on numbers. The alarm outlives exec; the warmer cancels it.
        unsafe {
            libc::alarm(STARTING);
            if libc::setns(self.init, libc::CLONE_NEWNS) != 0
                || libc::dup2(self.socket, CHANNEL) < 0
            {
                return Err(steps::last_error());
            }
        }
        rustix::process::setsid()?;
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(self.program.umask));
        // SAFETY: the text lives as long as the program.
        rustix::process::chdir(unsafe { CStr::from_ptr(self.program.cwd) })?;
        sched_setaffinity(None, &self.cpus).ok();
        limits::apply(&self.limits)?;
        limits::bound_capabilities(limits::KEPT.union(NEEDED))?;
        rustix::thread::set_no_new_privs(true)
    }
}

/// A message from a warmer or a copy.
struct Message {
    text: Vec<u8>,
    fds: Vec<OwnedFd>,
    /// Who sent it.
    pid: Option<Pid>,
}

/// Waits for a message. The other end may be closed: then it is empty.
fn receive(socket: BorrowedFd<'_>, patience: Duration) -> Result<Message, Errno> {
    let timeout = patience.try_into().ok();
    while poll(
        &mut [PollFd::from_borrowed_fd(socket, PollFlags::IN)],
        timeout.as_ref(),
    ) == Err(Errno::INTR)
    {}
    let mut text = vec![0; 256];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1), ScmCredentials(1))];
    let mut with = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
    let got = recvmsg(socket, &mut [IoSliceMut::new(&mut text)], &mut with, flags)?;
    text.truncate(got.bytes);
    let (mut fds, mut pid) = (Vec::new(), None);
    for message in with.drain() {
        match message {
            RecvAncillaryMessage::ScmRights(rights) => fds.extend(rights),
            RecvAncillaryMessage::ScmCredentials(credentials) => pid = Some(credentials.pid),
            _ => {}
        }
    }
    Ok(Message { text, fds, pid })
}
