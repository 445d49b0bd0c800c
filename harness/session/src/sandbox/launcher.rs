//! The process from which the inits of sandboxes are cloned: a copy of the harness, made once for
//! each CPU, with one thread and little memory.
//!
//! Cloning the harness itself for each sandbox would copy the page tables of all its memory. After
//! each clone its threads would copy every page that they write to, and interrupt one another.
#![expect(unsafe_code, reason = "fork and clone3")]

use std::collections::BTreeMap;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::thread::{CpuSet, sched_setaffinity};

use super::control::{self, MAX_FDS, Reply, errno_of, wait_reply, word_of};
use super::host::Inner;
use super::prepared::{Network, Prepared, STACK_BYTES, Walls};
use super::program::{self, Program};
use super::{Error, Host, Spec, Target, Tier, build, descriptors, host, init, steps, undertaker};

/// A running init.
#[derive(Debug)]
pub(super) struct Launched {
    pub(super) pidfd: OwnedFd,
    pub(super) pid: i32,
    pub(super) control: OwnedFd,
}

/// What one sandbox needs that the others of its host do not.
pub(super) struct Order<'a> {
    pub(super) spec: &'a Spec,
    /// The mark of every process in the sandbox.
    pub(super) mark: u64,
    pub(super) network: Network,
    pub(super) landlock: Option<OwnedFd>,
}

/// Launchers by their CPU; the launcher without a CPU runs on any.
#[derive(Debug, Default)]
pub(super) struct Launchers(Mutex<BTreeMap<Option<usize>, Arc<Mutex<Launcher>>>>);

/// A launcher, and the socket by which it receives orders. Dropping it ends the process.
#[derive(Debug)]
struct Launcher {
    process: OwnedFd,
    /// Closed before the process is reaped.
    socket: Option<OwnedFd>,
}

/// Wider than libc's constant of this name.
const CLONE_CLEAR_SIGHAND: u64 = 1 << 32;

/// An order is sent in messages of at most this many bytes.
const CHUNK: usize = 32 << 10;
/// The numbers at the start of an order: its length, the mark, the target, the network, and the
/// number of programs.
const WORDS: usize = 5;

impl Launchers {
    /// Starts an init on the CPU of its first command. No signal reaches it.
    ///
    /// # Errors
    ///
    /// If a command cannot run, or if the machine refuses.
    pub(super) fn launch(&self, host: &Host, order: &Order<'_>) -> Result<Launched, Error> {
        let bytes = order.encode()?;
        let cpu = order.spec.commands.first().and_then(|command| command.cpu);
        let mut tries = 0;
        loop {
            let launcher = self.on(cpu, &host.inner)?;
            let launched = match launcher.lock() {
                Ok(launcher) => launcher.launch(order, &bytes),
                Err(_) => Err(Error::Gone),
            };
            tries += 1;
            match launched {
                // Another process ended the launcher, so a new one is started.
                Err(Error::Gone) if tries < 3 => self.forget(cpu, &launcher),
                launched => return launched,
            }
        }
    }

    fn on(&self, cpu: Option<usize>, inner: &Inner) -> Result<Arc<Mutex<Launcher>>, Error> {
        let mut launchers = self.0.lock().map_err(|_| Error::Gone)?;
        if let Some(launcher) = launchers.get(&cpu) {
            return Ok(Arc::clone(launcher));
        }
        let started = Launcher::start(cpu, inner).map_err(|errno| Error::System {
            call: "fork",
            errno,
        })?;
        let launcher = Arc::new(Mutex::new(started));
        launchers.insert(cpu, Arc::clone(&launcher));
        Ok(launcher)
    }

    fn forget(&self, cpu: Option<usize>, launcher: &Arc<Mutex<Launcher>>) {
        if let Ok(mut launchers) = self.0.lock()
            && launchers
                .get(&cpu)
                .is_some_and(|known| Arc::ptr_eq(known, launcher))
        {
            launchers.remove(&cpu);
        }
    }
}

impl Order<'_> {
    fn encode(&self) -> Result<Vec<u8>, Error> {
        let words = [
            0,
            self.mark,
            target_number(self.spec.target),
            matches!(self.network, Network::Fresh).into(),
            self.spec.commands.len() as u64,
        ];
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        for command in &self.spec.commands {
            program::write(command, &mut bytes)?;
        }
        let length = bytes.len() as u64;
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        Ok(bytes)
    }

    /// A descriptor that the init gets in addition to the control socket.
    fn extra(&self) -> Option<BorrowedFd<'_>> {
        match &self.network {
            Network::Used(fd) => Some(fd.as_fd()),
            Network::Host | Network::Fresh => self.landlock.as_ref().map(AsFd::as_fd),
        }
    }
}

const TARGETS: [Target; 3] = [Target::Plain, Target::Tmpfs, Target::FullDisk];

fn target_number(target: Target) -> u64 {
    let at = TARGETS.iter().position(|known| *known == target);
    at.unwrap_or_default() as u64
}

impl Launcher {
    fn start(cpu: Option<usize>, inner: &Inner) -> Result<Self, Errno> {
        let kind = SocketType::SEQPACKET;
        let (socket, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
        let cpus = program::cpus(cpu, &inner.cpus);
        // SAFETY: all signals are blocked during the fork, so that no handler of the harness runs
        // in the copy, which never returns from `serve`. Of the locks that other threads may have
        // held, it uses only the allocator's, which the C library's fork resets.
        let pid = unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            let pid = libc::fork();
            if pid == 0 {
                serve(inner, &cpus, theirs.as_raw_fd());
            }
            let failed = (pid < 0).then(steps::last_error);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
            if let Some(errno) = failed {
                return Err(errno);
            }
            pid
        };
        let pid = Pid::from_raw(pid).ok_or(Errno::SRCH)?;
        Ok(Self {
            process: pidfd_open(pid, PidfdFlags::empty())?,
            socket: Some(socket),
        })
    }

    fn launch(&self, order: &Order<'_>, bytes: &[u8]) -> Result<Launched, Error> {
        let system = |call| move |errno| Error::System { call, errno };
        let socket = self.socket.as_ref().ok_or(Error::Gone)?.as_fd();
        let (control, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .map_err(system("socketpair"))?;
        rustix::net::sockopt::set_socket_passcred(&control, true).map_err(system("setsockopt"))?;
        let fds: Vec<_> = [Some(theirs.as_fd()), order.extra()]
            .into_iter()
            .flatten()
            .collect();
        send(socket, bytes, &fds).map_err(|errno| match errno {
            Errno::PIPE | Errno::CONNRESET => Error::Gone,
            errno => system("sendmsg")(errno),
        })?;
        let received = wait_reply(socket)?;
        if received.reply.a != 0 {
            return Err(host::clone_error(errno_of(received.reply.a)));
        }
        let pidfd = received.fds.into_iter().next().ok_or(Error::Gone)?;
        Ok(Launched {
            pidfd,
            pid: i32::try_from(received.reply.b).map_err(|_| Error::Gone)?,
            control,
        })
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        self.socket = None;
        undertaker::reap(&self.process, 5_000);
    }
}

fn send(socket: BorrowedFd<'_>, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut with = SendAncillaryBuffer::new(&mut space);
    if !with.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(Errno::INVAL);
    }
    for chunk in bytes.chunks(CHUNK) {
        let parts = [IoSlice::new(chunk)];
        sendmsg(socket, &parts, &mut with, SendFlags::NOSIGNAL)?;
        with.clear();
    }
    Ok(())
}

/// Receives an order and its descriptors; `None` if the harness has ended.
fn receive(socket: BorrowedFd<'_>) -> Option<(Vec<u8>, Vec<OwnedFd>)> {
    let mut bytes = Vec::new();
    let mut fds = Vec::new();
    loop {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
        let mut with = RecvAncillaryBuffer::new(&mut space);
        let start = bytes.len();
        bytes.resize(start + CHUNK, 0);
        let mut parts = [IoSliceMut::new(bytes.get_mut(start..)?)];
        let got = recvmsg(socket, &mut parts, &mut with, RecvFlags::CMSG_CLOEXEC).ok()?;
        for message in with.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                fds.extend(rights);
            }
        }
        bytes.truncate(start + got.bytes);
        if got.bytes == 0 {
            return None;
        }
        if bytes.len() as u64 >= word_of(&bytes) {
            return Some((bytes, fds));
        }
    }
}

/// The launcher's main loop, from the fork to the harness's end.
fn serve(inner: &Inner, cpus: &CpuSet, socket: RawFd) -> ! {
    let _bomb = init::Bomb;
    init::keep_only(socket, None);
    // SAFETY: `keep_only` put the socket there, and nothing closes it.
    let socket = unsafe { BorrowedFd::borrow_raw(descriptors::CONTROL) };
    // A terminal's signals for the harness must not reach the launcher.
    let _ = rustix::process::setsid();
    let _ = rustix::thread::set_name(c"launcher");
    let _ = sched_setaffinity(None, cpus);
    while let Some((bytes, fds)) = receive(socket) {
        let cloned = read(inner, &bytes, fds)
            .and_then(|(mut prepared, control)| clone(&mut prepared, &control));
        let (errno, pid) = match &cloned {
            Ok((pid, _)) => (0, *pid),
            Err(errno) => (errno.raw_os_error(), 0),
        };
        let reply = Reply {
            kind: control::READY,
            a: errno.unsigned_abs().into(),
            b: pid.unsigned_abs().into(),
            ..Reply::default()
        };
        let pidfd = cloned.as_ref().ok().map(|(_, pidfd)| pidfd.as_fd());
        if control::send_reply(socket, reply, pidfd.as_slice(), None).is_err() {
            break;
        }
    }
    init::exit(0)
}

/// Parses an order into what the init needs and its end of the control socket.
fn read<'a>(
    inner: &'a Inner,
    bytes: &[u8],
    fds: Vec<OwnedFd>,
) -> Result<(Prepared<'a>, OwnedFd), Errno> {
    let (head, mut rest) = bytes.split_at_checked(WORDS * 8).ok_or(Errno::BADMSG)?;
    let mut words = head.chunks_exact(8).map(word_of).skip(1);
    let mut word = || words.next().ok_or(Errno::BADMSG);
    let (mark, target, fresh, count) = (word()?, word()?, word()? != 0, word()?);
    let target = usize::try_from(target).ok();
    let target = *target.and_then(|at| TARGETS.get(at)).ok_or(Errno::BADMSG)?;
    let mut fds = fds.into_iter();
    let control = fds.next().ok_or(Errno::BADF)?;
    let extra = fds.next();
    let walls = match inner.tier {
        Tier::Overlay => {
            let network = match extra {
                Some(used) => Network::Used(used),
                None if fresh => Network::Fresh,
                None => Network::Host,
            };
            build::namespaces(inner, target, network)
        }
        Tier::Copy | Tier::None => Walls::Processes { landlock: extra },
    };
    let mut programs = Vec::new();
    for _ in 0..count {
        let program = Program::read(&mut rest, &inner.cpus);
        programs.push(program.ok_or(Errno::BADMSG)?);
    }
    let prepared = Prepared {
        walls,
        programs,
        mark,
        limits: &inner.options.limits,
        filter: &inner.filter,
        watch: &inner.watch,
        touches: &inner.touches,
        shares_segments: inner.options.shares_segments,
        stack: Vec::with_capacity(STACK_BYTES),
    };
    Ok((prepared, control))
}

/// Clones the launcher into an init that is a child of the harness.
fn clone(prepared: &mut Prepared<'_>, control: &OwnedFd) -> Result<(i32, OwnedFd), Errno> {
    let mut flags = (libc::CLONE_PIDFD | libc::CLONE_PARENT) as u64 | CLONE_CLEAR_SIGHAND;
    if let Walls::Namespaces { user, network, .. } = &prepared.walls {
        flags |=
            (libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWUTS | libc::CLONE_NEWCGROUP)
                as u64;
        if !prepared.shares_segments {
            flags |= libc::CLONE_NEWIPC as u64;
        }
        if matches!(network, Network::Fresh) {
            flags |= libc::CLONE_NEWNET as u64;
        }
        if user.is_some() {
            flags |= libc::CLONE_NEWUSER as u64;
        }
    }
    let mut pidfd: RawFd = -1;
    // SAFETY: the structure is plain data, and all fields that matter are set.
    let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
    arguments.flags = flags;
    arguments.pidfd = (&raw mut pidfd).addr() as u64;
    // SAFETY: without CLONE_VM the copy has its own memory and stack. It only makes system calls on
    // complete data, and never returns from `init::run`.
    let pid = unsafe {
        let size = size_of::<libc::clone_args>();
        let pid = libc::syscall(libc::SYS_clone3, &raw mut arguments, size);
        if pid == 0 {
            init::run(prepared, control.as_raw_fd());
        }
        pid
    };
    if pid < 0 {
        return Err(steps::last_error());
    }
    // SAFETY: clone3 has just made this descriptor.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    Ok((i32::try_from(pid).map_err(|_| Errno::OVERFLOW)?, pidfd))
}
