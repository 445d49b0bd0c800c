//! The first process of a sandbox: sets up the isolation, starts commands, reaps, and reports.
//!
//! It is a copy of the launcher, and shares its memory with all later copies. Therefore it only
//! makes system calls on data that was prepared before: no allocation, no locks of the standard
//! library, no panics.
#![expect(unsafe_code, reason = "rustix has no safe form of these system calls")]

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags};
use rustix::net::UCred;
use rustix::process::{DumpableBehavior, Pid};

use super::control::{self, Operation, REQUEST_BYTES, Reply};
use super::descriptors::{CONTROL, EXTRA};
use super::limits;
use super::plan::STAGE;
use super::prepared::{Network, Prepared, Walls};
use super::steps::{bring_up_loopback, carry_out, enter_network, read_only, write};
use super::vfork;

/// How many commands of a sandbox may run at once.
pub(super) const MAX_CHILDREN: usize = 64;

/// Where the setup failed: the number of the step (`u64::MAX` for parts that every sandbox has).
pub(super) struct Failed {
    pub(super) step: u64,
    pub(super) errno: Errno,
}

impl From<Errno> for Failed {
    fn from(errno: Errno) -> Self {
        Self {
            step: u64::MAX,
            errno,
        }
    }
}

/// Ends the process when dropped: a panic must not unwind into the copied stack.
pub(super) struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        exit(70);
    }
}

pub(super) fn exit(code: i32) -> ! {
    // SAFETY: ends the process; no memory is involved.
    unsafe { libc::_exit(code) }
}

/// Runs in the copy of the harness, and never returns.
pub(super) fn run(prepared: &mut Prepared<'_>, control: RawFd) -> ! {
    let _bomb = Bomb;
    keep_only(control, prepared.extra());
    // SAFETY: `keep_only` put the control socket there, and nothing closes it.
    let control = unsafe { BorrowedFd::borrow_raw(CONTROL) };
    reset_signals();
    let _ = rustix::thread::set_name(c"sandbox");
    match set_up(prepared) {
        Ok(places) => {
            let fds: [Option<BorrowedFd<'_>>; 3] = [
                Some(places.stage.as_fd()),
                Some(places.root.as_fd()),
                places.target.as_ref().map(AsFd::as_fd),
            ];
            let ready = Reply {
                kind: control::READY,
                ..Reply::default()
            };
            let sent = match (&prepared.walls, fds) {
                (Walls::Processes { .. }, _) => control::send_reply(control, ready, &[], None),
                (_, [Some(stage), Some(root), Some(target)]) => {
                    control::send_reply(control, ready, &[stage, root, target], None)
                }
                (_, [Some(stage), Some(root), None]) => {
                    control::send_reply(control, ready, &[stage, root], None)
                }
                _ => Err(Errno::INVAL),
            };
            if sent.is_err() {
                exit(71);
            }
            serve(prepared, control, &places)
        }
        Err(Failed { step, errno }) => {
            let reply = Reply {
                kind: control::READY,
                a: errno.raw_os_error().unsigned_abs().into(),
                b: step,
                ..Reply::default()
            };
            let _ = control::send_reply(control, reply, &[], None);
            exit(72)
        }
    }
}

/// Closes all descriptors except the control socket, which becomes descriptor 3, and an extra one,
/// which becomes 4.
pub(super) fn keep_only(control: RawFd, extra: Option<RawFd>) {
    // SAFETY: plain system calls on numbers; the copied harness's owners of these descriptors are
    // never dropped here.
    unsafe {
        // Moves it away, in case it is 3.
        let extra = extra.map(|fd| libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 10));
        if control != CONTROL {
            libc::dup3(control, CONTROL, libc::O_CLOEXEC);
        }
        let mut first = CONTROL + 1;
        if let Some(fd) = extra {
            libc::dup3(fd, EXTRA, libc::O_CLOEXEC);
            first = EXTRA + 1;
        }
        libc::syscall(libc::SYS_close_range, first, u32::MAX, 0);
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        for fd in 0..3 {
            libc::dup2(null, fd);
        }
        if null >= first {
            libc::close(null);
        }
    }
}

/// Restores default signal dispositions: exec keeps ignored signals, and Rust ignores SIGPIPE.
pub(super) fn reset_signals() {
    for signal in 1..32 {
        // SAFETY: a zeroed sigaction is SIG_DFL with an empty mask.
        unsafe {
            let action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

/// The directories that the init keeps open.
struct Places {
    stage: OwnedFd,
    root: OwnedFd,
    target: Option<OwnedFd>,
}

fn set_up(prepared: &Prepared<'_>) -> Result<Places, Failed> {
    // Its own session, without a terminal to write to.
    rustix::process::setsid()?;
    // SAFETY: umask cannot fail and touches no memory.
    unsafe { libc::umask(0) };
    let places = match &prepared.walls {
        Walls::Namespaces {
            plan,
            more,
            stage,
            user,
            network,
            ..
        } => {
            if let Some((uids, gids)) = user {
                write(c"/proc/self/setgroups", c"deny").or_else(missing_is_fine)?;
                write(c"/proc/self/uid_map", uids)?;
                write(c"/proc/self/gid_map", gids)?;
            }
            match network {
                Network::Host => {}
                Network::Fresh => bring_up_loopback()?,
                Network::Used(_) => enter_network()?,
            }
            rustix::mount::mount_change(
                c"/",
                MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
            )?;
            rustix::mount::mount(
                c"tmpfs",
                c"/proc",
                c"tmpfs",
                MountFlags::NOSUID,
                Some(stage.as_c_str()),
            )?;
            rustix::process::chdir(c"/proc")?;
            let steps = plan.steps.iter().map(|(_, step)| step).chain(more);
            for (number, step) in steps.enumerate() {
                carry_out(step).map_err(|errno| Failed {
                    step: number as u64,
                    errno,
                })?;
            }
            let directory = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let stage = rustix::fs::open(c".", directory, Mode::empty())?;
            let target = match prepared.target_at() {
                Some(at) => Some(rustix::fs::open(at.as_c_str(), directory, Mode::empty())?),
                None => None,
            };
            // Mounts the new root over the old one. To detach the old root would wait for every
            // processor. Below the root of a namespace, files are reachable only by unmounting what
            // covers them, which subjects may not do.
            rustix::process::chdir(c"root")?;
            rustix::mount::mount_move(c".", c"/")?;
            rustix::process::chroot(c".")?;
            rustix::process::chdir(c"/")?;
            let root = rustix::fs::open(c"/", directory, Mode::empty())?;
            Places {
                stage,
                root,
                target,
            }
        }
        Walls::Processes { .. } => {
            rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
            let directory = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let root = rustix::fs::open(c"/", directory, Mode::empty())?;
            let stage = root.try_clone().map_err(|_| Errno::MFILE)?;
            Places {
                stage,
                root,
                target: None,
            }
        }
    };
    // No subject may trace the init, whatever its user.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    limits::apply(prepared.limits)?;
    limits::mark(prepared.mark | limits::MARK_ROOM)?;
    if let Walls::Namespaces { .. } = prepared.walls {
        limits::bound_capabilities(limits::KEPT)?;
    }
    rustix::thread::set_no_new_privs(true)?;
    Ok(places)
}

fn missing_is_fine(errno: Errno) -> Result<(), Errno> {
    if errno == Errno::NOENT {
        Ok(())
    } else {
        Err(errno)
    }
}

/// A running child: its process id in the sandbox and its number.
type Children = [Option<(i32, u64)>; MAX_CHILDREN];

fn serve(prepared: &mut Prepared<'_>, control: BorrowedFd<'_>, places: &Places) -> ! {
    // SAFETY: a zeroed set is filled by sigemptyset; signalfd reads it. Every signal is blocked
    // since before the clone.
    let signals = unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    };
    if signals < 0 {
        exit(73);
    }
    // SAFETY: signalfd has just made this descriptor.
    let signals = unsafe { OwnedFd::from_raw_fd(signals) };
    let mut children: Children = [None; MAX_CHILDREN];
    let mut buffer = [0; REQUEST_BYTES];
    loop {
        let mut fds = [
            PollFd::from_borrowed_fd(control, PollFlags::IN),
            PollFd::new(&signals, PollFlags::IN),
        ];
        match poll(&mut fds, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => leave(&children, prepared),
        }
        let [on_control, on_signals] = &fds;
        let (asked, died) = (
            !on_control.revents().is_empty(),
            !on_signals.revents().is_empty(),
        );
        if died {
            let mut discard = [0_u8; 128];
            let _ = rustix::io::read(&signals, &mut discard);
        }
        if reap(control, &mut children).is_err() {
            leave(&children, prepared);
        }
        if asked && answer(prepared, control, places, &mut children, &mut buffer).is_err() {
            leave(&children, prepared);
        }
    }
}

/// Kills everything else in the init's pid namespace at once: nothing can fork meanwhile.
///
/// If an init just exits, the kernel kills the other processes only after it has freed the init's
/// memory. For that it needs locks of files that all processes have mapped (the C library). With
/// hundreds of processes that only fork, this takes a minute.
fn kill_all() {
    // SAFETY: the caller is the first process of a pid namespace, which -1 does not reach past.
    unsafe {
        libc::kill(-1, libc::SIGKILL);
    }
}

/// The harness has ended or is done, so no process may stay.
fn leave(children: &Children, prepared: &Prepared<'_>) -> ! {
    match prepared.walls {
        Walls::Namespaces { .. } => kill_all(),
        Walls::Processes { .. } => {
            for (pid, _) in children.iter().flatten() {
                // SAFETY: each child leads a session, and so a group, of its own; the number is
                // not 0 or -1.
                unsafe {
                    libc::kill(-pid, libc::SIGKILL);
                }
            }
        }
    }
    // When the first process of a pid namespace exits, the kernel kills all others.
    exit(0)
}

fn reap(control: BorrowedFd<'_>, children: &mut Children) -> Result<(), Errno> {
    loop {
        let mut status = 0;
        // SAFETY: a zeroed rusage is valid, and both pointers are to live values.
        let (pid, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            let pid = libc::wait4(
                -1,
                &raw mut status,
                libc::WNOHANG | libc::__WALL,
                &raw mut usage,
            );
            (pid, usage)
        };
        if pid <= 0 {
            return Ok(());
        }
        let child = children
            .iter_mut()
            .find(|child| matches!(child, Some((p, _)) if *p == pid));
        let Some(place) = child else { continue };
        let Some((_, number)) = place.take() else {
            continue;
        };
        let micros = |time: libc::timeval| {
            time.tv_sec
                .unsigned_abs()
                .saturating_mul(1_000_000)
                .saturating_add(time.tv_usec.unsigned_abs())
        };
        let reply = Reply {
            kind: control::EXIT,
            a: number,
            b: u64::from(status.cast_unsigned()),
            c: micros(usage.ru_utime),
            d: micros(usage.ru_stime),
            e: usage.ru_maxrss.unsigned_abs(),
        };
        control::send_reply(control, reply, &[], None)?;
    }
}

fn answer(
    prepared: &mut Prepared<'_>,
    control: BorrowedFd<'_>,
    places: &Places,
    children: &mut Children,
    buffer: &mut [u8; REQUEST_BYTES],
) -> Result<(), Errno> {
    let (length, fds) = control::receive_request(control, buffer)?;
    let (head, payload) = buffer.split_at(24);
    let (a, b) = (
        control::word_of(head.get(8..16).unwrap_or_default()),
        control::word_of(head.get(16..24).unwrap_or_default()),
    );
    let Some(operation) = Operation::from_word(control::word_of(head)) else {
        return Err(Errno::BADMSG);
    };
    if length < 24 {
        return Err(Errno::PIPE);
    }
    let payload = payload.get(..length - 24).unwrap_or_default();
    let mut done = Reply {
        kind: control::DONE,
        ..Reply::default()
    };
    let mut opened = None;
    let mut credentials = None;
    let result = match operation {
        Operation::Spawn | Operation::SpawnWatched | Operation::SpawnTold => {
            let filter = match operation {
                Operation::SpawnWatched => Some(prepared.watch),
                Operation::SpawnTold => Some(prepared.touches),
                _ => None,
            };
            spawn(prepared, (a, b, filter), &fds, children).map(|pid| {
                done.b = u64::from(pid.unsigned_abs());
                if let Walls::Namespaces { .. } = prepared.walls {
                    credentials = Pid::from_raw(pid).map(|pid| UCred {
                        pid,
                        uid: rustix::process::getuid(),
                        gid: rustix::process::getgid(),
                    });
                }
            })
        }
        Operation::Adopt => adopt(children, a, b),
        Operation::ReadOnly => make_target_read_only(places),
        Operation::Resize => resize(places, a, b),
        Operation::Kill => {
            for (pid, _) in children.iter().flatten().filter(|(_, number)| *number == a) {
                // SAFETY: a child that was not reaped yet, so the number is still its own.
                unsafe {
                    libc::kill(*pid, libc::SIGKILL);
                }
            }
            Ok(())
        }
        Operation::KillAll => match prepared.walls {
            Walls::Namespaces { .. } => {
                kill_all();
                Ok(())
            }
            Walls::Processes { .. } => Err(Errno::INVAL),
        },
        Operation::Open => {
            let path = CStr::from_bytes_until_nul(payload).map_err(|_| Errno::INVAL)?;
            let access = if b == 0 {
                OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY
            } else {
                OFlags::PATH
            };
            rustix::fs::openat2(
                if a == 0 {
                    &places.stage
                } else {
                    places.target.as_ref().unwrap_or(&places.stage)
                },
                path,
                access | OFlags::NOFOLLOW | OFlags::CLOEXEC,
                Mode::empty(),
                ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS,
            )
            .map(|fd| opened = Some(fd))
        }
    };
    if let Err(errno) = result {
        done.a = errno.raw_os_error().unsigned_abs().into();
    }
    match &opened {
        Some(fd) => control::send_reply(control, done, &[fd.as_fd()], credentials),
        None => control::send_reply(control, done, &[], credentials),
    }
}

fn spawn<'p>(
    prepared: &mut Prepared<'p>,
    (command, number, filter): (u64, u64, Option<&'p [libc::sock_filter]>),
    fds: &[Option<OwnedFd>; control::MAX_FDS],
    children: &mut Children,
) -> Result<i32, Errno> {
    let free = children
        .iter_mut()
        .find(|child| child.is_none())
        .ok_or(Errno::AGAIN)?;
    let [Some(stdin), Some(stdout), Some(stderr), channel @ ..] = fds else {
        return Err(Errno::BADF);
    };
    let channel = match channel {
        [Some(input), Some(output)] => Some([input.as_raw_fd(), output.as_raw_fd()]),
        _ => None,
    };
    let index = usize::try_from(command).map_err(|_| Errno::INVAL)?;
    let pid = vfork::start(
        prepared,
        index,
        prepared.mark | (number & limits::MARK_ROOM),
        filter.map(|filter| (number, filter)),
        [stdin.as_raw_fd(), stdout.as_raw_fd(), stderr.as_raw_fd()],
        channel,
    )?;
    *free = Some((pid, number));
    Ok(pid)
}

/// Counts a process that became the init's child as its command `number`.
fn adopt(children: &mut Children, pid: u64, number: u64) -> Result<(), Errno> {
    let free = children.iter_mut().find(|child| child.is_none());
    let free = free.ok_or(Errno::AGAIN)?;
    let pid = i32::try_from(pid).map_err(|_| Errno::INVAL)?;
    // SAFETY: a zeroed siginfo is valid, and the call only writes to it. It fails for what is no child.
    let is_child = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let looks = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
        libc::waitid(libc::P_PID, pid.unsigned_abs(), &raw mut info, looks) == 0
    };
    if !is_child {
        return Err(Errno::SRCH);
    }
    *free = Some((pid, number));
    Ok(())
}

/// Uses the descriptor, because a subject may have moved the path.
fn make_target_read_only(places: &Places) -> Result<(), Errno> {
    let target = places.target.as_ref().ok_or(Errno::INVAL)?;
    read_only(target.as_raw_fd(), c"", libc::AT_EMPTY_PATH)
}

/// Resizes the target's tmpfs. Sizes round up to whole pages.
fn resize(places: &Places, bytes: u64, inodes: u64) -> Result<(), Errno> {
    let target = places.target.as_ref().ok_or(Errno::INVAL)?;
    let context = rustix::mount::fspick(
        target,
        c"",
        rustix::mount::FsPickFlags::FSPICK_EMPTY_PATH | rustix::mount::FsPickFlags::FSPICK_CLOEXEC,
    )?;
    let mut digits = [0; 24];
    rustix::mount::fsconfig_set_string(&context, c"size", decimal(bytes, &mut digits))?;
    rustix::mount::fsconfig_set_string(&context, c"nr_inodes", decimal(inodes, &mut digits))?;
    rustix::mount::fsconfig_reconfigure(&context)
}

/// A number as text, without allocating.
fn decimal(mut number: u64, digits: &mut [u8; 24]) -> &CStr {
    *digits = [0; 24];
    let mut start = 23;
    loop {
        start -= 1;
        if let Some(place) = digits.get_mut(start) {
            *place = b'0' + (number % 10) as u8;
        }
        number /= 10;
        if number == 0 || start == 0 {
            break;
        }
    }
    CStr::from_bytes_until_nul(digits.get(start..).unwrap_or_default()).unwrap_or(c"0")
}

// The stage's path also occurs in mount options, with this length.
const _: () = assert!(STAGE.len() == 5);
