//! A sandbox for an untrusted program: its changes to files are observed, and the machine stays
//! unchanged.
//!
//! [`Host::probe`] determines once what the machine can do. [`Sandbox::start`] makes a fresh
//! sandbox, and [`Sandbox::spawn`] runs commands in it. [`Sandbox::snapshot`] reads their effects.
//! Dropping the sandbox leaves nothing behind.
//!
//! | file | contents |
//! |---|---|
//! | `tier` | the tiers, and what each cannot provide |
//! | `host` | the probe: tiers, and plans that are repaired by trying |
//! | `mountinfo`, `plan`, `scratch`, `special`, `step` | the mounts of a sandbox |
//! | `spec`, `program`, `build`, `prepared` | what one sandbox needs |
//! | `launcher` | the process from which inits are cloned |
//! | `init`, `steps`, `vfork` | the init and its children, with system calls only |
//! | `warm` | copies of interpreters that have started before |
//! | `control`, `descriptors` | messages between harness and init; what the init inherits |
//! | `limits`, `seccomp`, `walls` | what subjects may not do |
//! | `watch` | stops processes before calls that change files |
//! | `calls`, `caller` | these calls, and information about the calling process |
//! | `slot` | the scratch directory of tiers without overlays |
//! | `undertaker` | waits until sandboxes are gone |
//! | `processes`, `view`, `files`, `place` | what the harness observes and changes |

mod build;
mod caller;
mod calls;
mod capture;
mod control;
mod descriptors;
mod error;
mod files;
mod host;
mod init;
mod launcher;
mod limits;
mod mountinfo;
mod place;
mod plan;
mod prepared;
mod processes;
mod program;
mod protect;
mod scratch;
mod seccomp;
mod slot;
mod spec;
mod special;
mod step;
mod steps;
mod tier;
mod undertaker;
mod vfork;
mod view;
mod walls;
mod warm;
mod watch;

pub use capture::Captured;
pub use error::Error;
pub use host::{Host, HostOptions};
pub use limits::Limits;
pub use processes::{Process, Sample};
pub use spec::{
    Announced, Child, ChildId, Command, ExitStatus, PlantedFile, Protection, Spec, Target, Usage,
};
pub use tier::{Lack, Tier, UnknownTier};
pub use watch::{Call, Watch};

use std::collections::VecDeque;
use std::ffi::{CString, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::effects::{Access, Cache, Root, Snapshot, walk};
use control::{Operation, Received, errno_of, wait_reply};
use launcher::Order;
use place::Place;
use prepared::Network;
use slot::Turn;
use undertaker::Remains;
use view::View;
use warm::Warm;

/// A sandbox. May be sent to other threads.
#[derive(Debug)]
pub struct Sandbox {
    host: Host,
    init: OwnedFd,
    init_pid: i32,
    control: OwnedFd,
    view: View,
    places: Vec<Place>,
    /// The right to the scratch directory in a tier without overlays, until the sandbox is dropped.
    turn: Option<Turn>,
    mark: u64,
    programs: Vec<String>,
    /// The commands that may be copies of a warm interpreter.
    warm: Vec<Option<(Command, Arc<Warm>)>>,
    target: Target,
    next: u64,
    running: Vec<ChildId>,
    /// The links of the descriptors of all commands, including those that have ended.
    pipes: Vec<[Option<OsString>; 3]>,
    ended: VecDeque<(ChildId, ExitStatus, Usage)>,
    cache: Cache,
    /// An unnamed file that takes the last space of a full disk.
    ballast: Option<OwnedFd>,
    gone: bool,
    /// Was the init reaped?
    reaped: bool,
}

impl Sandbox {
    /// Makes a fresh sandbox. Its scratch space holds the empty directories `dir`, `dir2`, `home`,
    /// `tmp` and `bin`.
    ///
    /// # Errors
    ///
    /// When the machine is out of something, or the tier cannot give what is asked.
    pub fn start(host: &Host, spec: &Spec) -> Result<Self, Error> {
        let mut turn = None;
        let mark = Host::mark();
        let mut order = Order {
            spec,
            mark,
            network: Network::Host,
            landlock: None,
        };
        match host.tier() {
            Tier::Overlay => order.network = host.take_network(),
            tier @ (Tier::Copy | Tier::None) => {
                if spec.target != Target::Plain {
                    let what = "a file system of its own for {dir}";
                    return Err(Error::Unsupported { tier, what });
                }
                let Some(slot) = &host.inner.slot else {
                    return Err(Error::NoTier);
                };
                turn = Some(slot.take()?);
                if tier == Tier::Copy {
                    order.landlock = Some(walls::landlock(slot.path())?);
                }
            }
        }
        let launched = host.inner.launchers.launch(host, &order)?;
        drop(order);
        let mut fds = match Self::ready(&launched) {
            Ok(fds) => fds.into_iter(),
            Err(error) => {
                undertaker::reap(&launched.pidfd, 5_000);
                return Err(error);
            }
        };
        let (view, places) = match &turn {
            None => {
                let (Some(stage), Some(top)) = (fds.next(), fds.next()) else {
                    return Err(Error::Gone);
                };
                let places = build::overlay_places(host, &stage, fds.next(), spec.target)?;
                (
                    View {
                        top,
                        at: PathBuf::from("/"),
                    },
                    places,
                )
            }
            Some(turn) => {
                let clone = || {
                    let copied = turn.dir().try_clone();
                    copied.map_err(|source| Error::Scratch {
                        path: host.scratch().into(),
                        source,
                    })
                };
                let at = host.scratch().to_owned();
                let place = Place {
                    dir: clone()?,
                    at: at.clone(),
                    layer: None,
                    stage: None,
                };
                (View { top: clone()?, at }, vec![place])
            }
        };
        let sandbox = Self {
            host: host.clone(),
            init: launched.pidfd,
            init_pid: launched.pid,
            control: launched.control,
            view,
            places,
            turn,
            mark,
            programs: spec
                .commands
                .iter()
                .filter_map(|command| Some(command.argv.first()?.to_string_lossy().into_owned()))
                .collect(),
            warm: spec
                .commands
                .iter()
                .map(|command| {
                    let may = command.warm && spec.target == Target::Plain;
                    let warm = may.then(|| host.inner.warmers.of(host, command)).flatten();
                    warm.map(|warm| (command.clone(), warm))
                })
                .collect(),
            target: spec.target,
            next: 0,
            running: Vec::new(),
            pipes: Vec::new(),
            ended: VecDeque::new(),
            cache: Cache::default(),
            ballast: None,
            gone: false,
            reaped: false,
        };
        for file in &spec.plant {
            sandbox
                .view
                .write(&file.path, &file.bytes, Some(file.mode))?;
        }
        Ok(sandbox)
    }

    fn ready(launched: &launcher::Launched) -> Result<Vec<OwnedFd>, Error> {
        let received = wait_reply(launched.control.as_fd())?;
        match received.reply.a {
            0 => Ok(received.fds),
            errno => Err(Error::Step {
                step: received.reply.b,
                errno: errno_of(errno),
            }),
        }
    }

    /// The scratch space as the subject sees it: [`Host::scratch`].
    pub fn scratch(&self) -> &Path {
        self.host.scratch()
    }

    /// Starts a command of the [`Spec`] in its own session, without a terminal.
    ///
    /// # Errors
    ///
    /// If the program cannot run: [`Error::Spawn`]. If the sandbox has ended: [`Error::Gone`].
    pub fn spawn(
        &mut self,
        command: usize,
        stdin: OwnedFd,
        stdout: OwnedFd,
        stderr: OwnedFd,
    ) -> Result<Child, Error> {
        let ends = vec![stdin, stdout, stderr];
        let (child, _) = self.spawn_by(Announced::Nothing, command, ends)?;
        Ok(child)
    }

    /// Like [`Sandbox::spawn`], but the announced calls wait until the caller answers them through
    /// the [`Watch`]. There is no watch if the kernel does not support this.
    ///
    /// # Errors
    ///
    /// As [`Sandbox::spawn`].
    pub fn spawn_watched(
        &mut self,
        command: usize,
        announced: Announced,
        stdin: OwnedFd,
        stdout: OwnedFd,
        stderr: OwnedFd,
    ) -> Result<(Child, Option<Watch>), Error> {
        let ends = vec![stdin, stdout, stderr];
        self.spawn_by(announced, command, ends)
    }

    /// Starts a command with a separate channel for messages: it reads from descriptor 3 and writes
    /// to descriptor 4, which `channel` contains. Its standard input is empty.
    ///
    /// # Errors
    ///
    /// As [`Sandbox::spawn`].
    pub fn spawn_on_channel(
        &mut self,
        command: usize,
        announced: Announced,
        ends: [OwnedFd; 3],
        channel: [OwnedFd; 2],
    ) -> Result<(Child, Option<Watch>), Error> {
        let ends = ends.into_iter().chain(channel);
        self.spawn_by(announced, command, ends.collect())
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "the harness must not keep the subject's ends of pipes"
    )]
    fn spawn_by(
        &mut self,
        announced: Announced,
        command: usize,
        ends: Vec<OwnedFd>,
    ) -> Result<(Child, Option<Watch>), Error> {
        let program = self
            .programs
            .get(command)
            .ok_or(Error::NoCommand(command))?
            .clone();
        let id = ChildId(self.next);
        self.next += 1;
        let fds: Vec<BorrowedFd<'_>> = ends.iter().map(OwnedFd::as_fd).collect();
        // Needed later to find out which processes hold the protocol's pipes.
        self.pipes.push(match fds[..] {
            [_, _, stderr, input, output] => [input, output, stderr].map(link_of),
            [stdin, stdout, stderr] => [stdin, stdout, stderr].map(link_of),
            _ => return Err(Error::NoCommand(command)),
        });
        if let Some(started) = self.copy_warm(announced, command, id, &fds)? {
            return Ok(started);
        }
        let operation = announced.operation();
        let received = self.request(operation, command as u64, id.0, b"", &fds)?;
        if received.reply.a != 0 {
            let source = errno_of(received.reply.a).into();
            return Err(Error::Spawn { program, source });
        }
        let inside = i32::try_from(received.reply.b).unwrap_or(0);
        let host_pid = match self.host.tier() {
            Tier::Overlay => received.pid.unwrap_or(0),
            Tier::Copy | Tier::None => inside,
        };
        self.running.push(id);
        let watch = received.fds.into_iter().next().map(Watch);
        Ok((Child { id, host_pid }, watch))
    }

    /// Starts a command as a copy of a warm interpreter. `None` if it is to start as usual.
    fn copy_warm(
        &mut self,
        announced: Announced,
        command: usize,
        id: ChildId,
        ends: &[BorrowedFd<'_>],
    ) -> Result<Option<(Child, Option<Watch>)>, Error> {
        let Some((command, warm)) = self.warm.get(command).and_then(Option::as_ref) else {
            return Ok(None);
        };
        let is_pipe = |link: &Option<OsString>| {
            let link = link.as_ref().map(|link| link.as_bytes());
            link.is_some_and(|link| link.starts_with(b"pipe:"))
        };
        let pipes = self.pipes.last();
        let has_pipes = pipes.is_some_and(|pipes| pipes.iter().all(is_pipe));
        if self.gone || !has_pipes || !warm.is_fit(&self.places) {
            return Ok(None);
        }
        let started = warm.copy(&warm::Order {
            filter: &self.host.inner.filter,
            announced: match announced {
                Announced::Nothing => None,
                Announced::Changes => Some(&self.host.inner.watch),
                Announced::Touches => Some(&self.host.inner.touches),
            },
            cpus: &self.host.inner.cpus,
            command,
            init: self.init.as_fd(),
            ends,
            mark: self.mark | (id.0 & limits::MARK_ROOM),
        });
        let Some(started) = started else {
            return Ok(None);
        };
        let inside = u64::from(started.inside.unsigned_abs());
        let adopted = self.request(Operation::Adopt, inside, id.0, b"", &[])?;
        if adopted.reply.a != 0 || rustix::io::write(&started.own, b"1").is_err() {
            return Ok(None);
        }
        self.host.inner.warmers.count();
        self.running.push(id);
        let child = Child {
            id,
            host_pid: started.outside,
        };
        Ok(Some((child, started.listener.map(Watch))))
    }

    /// Becomes readable when a command has ended. Another call may already have received that
    /// message, so call [`Sandbox::next_exit`] until it returns none before waiting.
    pub fn control_fd(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }

    /// The next command that ended, without waiting. If the sandbox itself ends
    /// ([`Sandbox::is_gone`]), the ends of its commands are not reported.
    pub fn next_exit(&mut self) -> Option<(ChildId, ExitStatus, Usage)> {
        if self.ended.is_empty() && !self.gone {
            match control::receive_reply(self.control.as_fd()) {
                Ok(Some(received)) => self.note_exit(&received),
                Ok(None) => self.gone = true,
                Err(_) => {}
            }
        }
        self.ended.pop_front()
    }

    /// Does [`Sandbox::next_exit`] have an exit that [`Sandbox::control_fd`] no longer signals?
    pub fn has_news(&self) -> bool {
        !self.ended.is_empty()
    }

    /// Was the sandbox killed, or did its init die? Then no process in it is alive.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// Kills a command's own process. [`Sandbox::next_exit`] reports its end.
    pub fn kill_child(&mut self, child: ChildId) {
        if self.running.contains(&child) {
            let _ = self.request(Operation::Kill, child.0, 0, b"", &[]);
        }
    }

    /// Kills a command's own process and all its descendants, even if their parents have ended.
    pub fn kill_family(&mut self, child: ChildId) {
        let end = Instant::now() + Duration::from_secs(2);
        loop {
            let family = self.processes().into_iter();
            let family: Vec<_> = family
                .filter(|process| process.child == child && process.state != 'Z')
                .filter_map(|process| Pid::from_raw(process.host_pid))
                .collect();
            if family.is_empty() || Instant::now() > end {
                return;
            }
            for pid in family {
                // It may have just ended by itself.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// Kills all processes in the sandbox at once, if the tier can do this. [`Sandbox::kill`] is
    /// slow if hundreds of processes fork endlessly.
    pub fn kill_processes(&mut self) {
        if self.turn.is_none() {
            let _ = self.request(Operation::KillAll, 0, 0, b"", &[]);
        }
    }

    fn note_exit(&mut self, received: &Received) {
        let reply = &received.reply;
        if reply.kind != control::EXIT {
            return;
        }
        let status = i32::try_from(reply.b).unwrap_or(0);
        let exit = match status & 0x7f {
            0 => ExitStatus::Code((status >> 8) & 0xff),
            signal => ExitStatus::Signal(signal),
        };
        let usage = Usage {
            user_us: reply.c,
            system_us: reply.d,
            max_rss_kib: reply.e,
        };
        let child = ChildId(reply.a);
        self.running.retain(|running| *running != child);
        self.ended.push_back((child, exit, usage));
    }

    fn request(
        &mut self,
        operation: Operation,
        a: u64,
        b: u64,
        payload: &[u8],
        fds: &[BorrowedFd<'_>],
    ) -> Result<Received, Error> {
        if self.gone {
            return Err(Error::Gone);
        }
        let control = self.control.as_fd();
        if control::send_request(control, operation, a, b, payload, fds).is_err() {
            self.gone = true;
            return Err(Error::Gone);
        }
        let mut listener = Vec::new();
        loop {
            match wait_reply(self.control.as_fd()) {
                Ok(mut received) if received.reply.kind == control::DONE => {
                    received.fds.append(&mut listener);
                    return Ok(received);
                }
                Ok(received) if received.reply.kind == control::WATCHED => listener = received.fds,
                Ok(received) => self.note_exit(&received),
                Err(Error::Gone) => {
                    self.gone = true;
                    return Err(Error::Gone);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// What this sandbox separates.
    pub fn tier(&self) -> Tier {
        self.host.tier()
    }

    /// Reads the state of all files that differ from the machine's.
    ///
    /// # Errors
    ///
    /// None at present; a sandbox whose init has ended can still be read.
    pub fn snapshot(&mut self) -> Result<Snapshot, Error> {
        let mut cache = std::mem::take(&mut self.cache);
        let host = self.host.clone();
        let places = std::mem::take(&mut self.places);
        let roots: Vec<Root<'_>> = places
            .iter()
            .map(|place| Root {
                dir: place.dir.as_fd(),
                at: &place.at,
                lower: place
                    .layer
                    .and_then(|layer| host.inner.lowers.get(layer)?.as_ref()),
            })
            .collect();
        let overlay = self.host.tier() == Tier::Overlay;
        let mut open = |root: usize, below: &[u8], access: Access| {
            if !overlay {
                return None;
            }
            let place = places.get(root)?;
            let (kind, path) = match &place.stage {
                Some(stage) => (0, [stage.as_bytes(), b"/", below].concat()),
                None => (1, below.to_vec()),
            };
            let path = CString::new(path).ok()?;
            let payload = path.as_bytes_with_nul();
            if payload.len() + 24 > control::REQUEST_BYTES {
                return None;
            }
            self.request(
                Operation::Open,
                kind,
                u64::from(access == Access::Look),
                payload,
                &[],
            )
            .ok()?
            .fds
            .pop()
        };
        let snapshot = walk(&roots, &mut cache, &mut open);
        drop(roots);
        self.places = places;
        self.cache = cache;
        Ok(snapshot)
    }

    fn pids(&self) -> Vec<i32> {
        if self.host.tier() == Tier::Overlay || !self.gone {
            return processes::descendants(self.init_pid);
        }
        processes::marked(self.mark)
    }

    /// Does a process have a file open for writing that is not on the device `ours`? So it seems if
    /// nothing can be learned about it.
    pub fn holds_writable(&self, ours: Option<u64>) -> bool {
        let mut pids = self.pids().into_iter();
        pids.any(|pid| processes::holds_writable(pid, ours))
    }

    /// All processes in the sandbox, including those that left their parents.
    pub fn processes(&self) -> Vec<Process> {
        self.pids()
            .into_iter()
            .filter_map(|pid| processes::describe(pid, &self.pipes))
            .collect()
    }

    /// Do all processes of a command wait for input, or for each other? `stdin` is the harness's
    /// end of the pipe.
    pub fn only_reads(&self, command: ChildId, stdin: BorrowedFd<'_>) -> bool {
        let Ok(stat) = rustix::fs::fstat(stdin) else {
            return false;
        };
        let pipe = OsString::from(format!("pipe:[{}]", stat.st_ino));
        processes::only_read(&self.pids(), command, &pipe)
    }

    /// Has any process got less processor time than it wanted? Then the machine is busy, and
    /// elapsed time says little.
    pub fn is_starved(&self) -> bool {
        self.pids().into_iter().any(processes::is_starved)
    }

    /// How long the living processes have run or waited for a processor, all threads together.
    pub fn working_time(&self) -> Duration {
        self.pids().into_iter().map(processes::working_time).sum()
    }

    /// What one process uses now, by its process id outside; `None` if it has ended.
    pub fn sample(&self, host_pid: i32) -> Option<Sample> {
        processes::sample(host_pid)
    }

    /// How many processes there are now, and their memory in KiB; shared pages count for each
    /// process. If there are more than `most`, memory is not read, because this would take seconds
    /// for a thousand busy processes.
    pub fn tree_usage(&self, most: usize) -> (usize, u64) {
        if let Some(count) = self.crowd()
            && count > most
        {
            return (count, 0);
        }
        let pids = self.pids();
        if pids.len() > most {
            return (pids.len(), 0);
        }
        (
            pids.len(),
            pids.into_iter().filter_map(processes::rss_kib).sum(),
        )
    }

    /// The number of processes in addition to the init, read with one call from the sandbox's own
    /// /proc.
    fn crowd(&self) -> Option<usize> {
        if self.turn.is_some() || self.gone {
            return None;
        }
        let names = self.view.names(Path::new("/proc")).ok()?;
        let processes = names.iter().filter(|name| {
            let name = name.to_bytes();
            name.iter().all(u8::is_ascii_digit) && name != b"1"
        });
        Some(processes.count())
    }

    /// The network namespace, if the harness runs as root and may keep it, and if no socket in it
    /// is open or closing.
    fn clean_network(&self) -> Option<OwnedFd> {
        let inner = &self.host.inner;
        let fit = inner.privileged && !inner.options.network && self.turn.is_none();
        if self.gone || !self.running.is_empty() || !fit {
            return None;
        }
        let counts = self
            .view
            .read(Path::new("/proc/1/net/sockstat"), 4096)
            .ok()?;
        let counts = String::from_utf8(counts).ok()?;
        let counts6 = self
            .view
            .read(Path::new("/proc/1/net/sockstat6"), 4096)
            .unwrap_or_default();
        let clean = |line: &str| {
            let mut words = line.split_ascii_whitespace().skip(1);
            std::iter::from_fn(|| Some((words.next()?, words.next()?)))
                .all(|(what, count)| count == "0" || !matches!(what, "used" | "inuse" | "tw"))
        };
        let counts6 = String::from_utf8(counts6).ok()?;
        if !counts.lines().chain(counts6.lines()).all(clean) {
            return None;
        }
        let path = format!("/proc/{}/ns/net", self.init_pid);
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::CLOEXEC;
        rustix::fs::open(path, flags, rustix::fs::Mode::empty()).ok()
    }

    /// Kills everything in the sandbox and waits until it has ended. Its files stay readable.
    pub fn kill(&mut self) {
        if self.gone && self.reaped {
            return;
        }
        let network = self.clean_network();
        // The running init adopts all orphans: if it has no descendants, there are no processes.
        let empty = self.turn.is_some()
            && processes::descendants(self.init_pid).is_empty()
            && processes::state(self.init_pid).is_some_and(|(state, _)| state != 'Z');
        let _ = rustix::process::pidfd_send_signal(&self.init, Signal::KILL);
        self.reaped = undertaker::reap(&self.init, undertaker::KILLED_MS);
        if self.turn.is_some() && !empty {
            kill_marked(self.mark);
        }
        if let (Some(network), true) = (network, self.reaped) {
            undertaker::keep(&self.host.inner.networks, network);
        }
        while let Ok(Some(received)) = control::receive_reply(self.control.as_fd()) {
            self.note_exit(&received);
        }
        self.gone = true;
    }
}

impl Drop for Sandbox {
    /// Kills everything in the sandbox. In a tier without overlays, waits until it has ended;
    /// otherwise [`Host`] waits for all sandboxes when its last copy is dropped.
    fn drop(&mut self) {
        let kept = || Some((self.init.try_clone().ok()?, self.view.top.try_clone().ok()?));
        match (&self.turn, self.gone, kept()) {
            (None, false, Some((init, top))) => {
                let network = self.clean_network();
                let _ = rustix::process::pidfd_send_signal(&init, Signal::KILL);
                self.host.inner.undertaker.bury(Remains {
                    init,
                    network,
                    top,
                    places: std::mem::take(&mut self.places),
                });
            }
            _ => self.kill(),
        }
    }
}

/// Kills the processes of a tier without pid namespaces: first stops all, so that none can fork,
/// and then kills them. The harness adopts the orphans and reaps them here.
fn kill_marked(mark: u64) {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let pids: Vec<_> = processes::marked(mark)
            .into_iter()
            .filter_map(Pid::from_raw)
            .collect();
        if pids.is_empty() || Instant::now() > end {
            return;
        }
        for signal in [Signal::STOP, Signal::KILL] {
            for pid in &pids {
                let _ = kill_process(*pid, signal);
            }
        }
        std::thread::sleep(Duration::from_micros(200));
        for pid in pids {
            let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::NOHANG);
        }
    }
}

/// `pipe:[123]` and the like, as `/proc/PID/fd` shows it. `None` for files and devices.
fn link_of(fd: BorrowedFd<'_>) -> Option<OsString> {
    use std::os::fd::AsRawFd;
    let link = std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).ok()?;
    (!link.as_os_str().as_bytes().starts_with(b"/")).then(|| link.into_os_string())
}
