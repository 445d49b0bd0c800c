//! A room for an untrusted program: what it does to files is seen, and the machine stays as it is.
//!
//! [`Host::probe`] finds out once what the machine can do; [`Sandbox::start`] makes a fresh room;
//! [`Sandbox::spawn`] runs commands in it; [`Sandbox::snapshot`] reads what they did; dropping it
//! leaves nothing behind.
//!
//! | file | holds |
//! |---|---|
//! | `host` | the probe: tiers, and plans repaired by trying |
//! | `mountinfo`, `plan` | which mounts make a sandbox |
//! | `prepared`, `launch` | what the init needs, and its clone |
//! | `init`, `vfork` | the init and its children, in system calls alone |
//! | `control` | messages between harness and init |
//! | `limits`, `seccomp`, `walls` | what subjects may not do |
//! | `processes`, `view` | what the harness sees: processes, files |

mod control;
mod error;
mod host;
mod init;
mod launch;
mod limits;
mod mountinfo;
mod plan;
mod prepared;
mod processes;
mod seccomp;
mod vfork;
mod view;
mod walls;

pub use error::Error;
pub use host::{Host, HostOptions, Lack, Tier};
pub use limits::Limits;
pub use processes::{Process, Sample};

use std::collections::VecDeque;
use std::ffi::{CString, OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::Signal;

use crate::effects::{Cache, Root, Snapshot, walk};
use control::{Operation, Received};
use prepared::{Network, Prepared, Program, STACK_BYTES, Walls};
use view::View;

/// A program that a sandbox can run, with all that it is given.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program and its arguments. A program without a slash is looked up in PATH of `env`.
    pub argv: Vec<OsString>,
    /// All of its environment.
    pub env: Vec<(OsString, OsString)>,
    /// Its working directory, as seen in the sandbox.
    pub cwd: PathBuf,
    /// Its file mode creation mask.
    pub umask: u32,
    /// Run on this CPU alone.
    pub cpu: Option<usize>,
    /// Run as root without root's rights over files. Nothing to a user who has none.
    pub unprivileged: bool,
}

impl Command {
    /// A command with an empty environment, in the root directory, with umask 022.
    pub fn new<A: Into<OsString>>(argv: impl IntoIterator<Item = A>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            env: Vec::new(),
            cwd: PathBuf::from("/"),
            umask: 0o022,
            cpu: None,
            unprivileged: false,
        }
    }
}

/// What {dir} lies on. All but [`Target::Plain`] need the overlay tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// The scratch space, like its neighbours.
    #[default]
    Plain,
    /// A file system of its own, of 16 MiB, that can be made read-only or full.
    Tmpfs,
    /// The whole scratch space is one file system, of 16 MiB: when it is full, so are TMPDIR and
    /// HOME.
    FullDisk,
}

/// How {dir} resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Mounted read-only: changes fail with `EROFS`. Needs [`Target::Tmpfs`] or
    /// [`Target::FullDisk`]; it is the whole of that file system that becomes read-only.
    ReadOnly,
    /// No space left: writes of new data fail with `ENOSPC`. Needs the same.
    Full,
    /// {dir} and all in it belongs to somebody else, or has no write permission: changes fail with
    /// `EACCES` or `EPERM`, for a command with [`Command::unprivileged`] even as root.
    Forbidden,
}

/// A file to put in the scratch space before anything runs.
#[derive(Clone, Debug)]
pub struct PlantedFile {
    /// Absolute, as the subject sees it.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its permissions.
    pub mode: u32,
}

/// What a sandbox is to be.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// The commands that can be run in it, by number, each any number of times.
    pub commands: Vec<Command>,
    /// What {dir} lies on.
    pub target: Target,
    /// Files that are there from the beginning.
    pub plant: Vec<PlantedFile>,
}

/// The number of a running command in its sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChildId(u64);

/// A command that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// Its number in the sandbox.
    pub id: ChildId,
    /// Its process id outside.
    pub host_pid: i32,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitStatus {
    /// With an exit code.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

/// What a command used until its end, itself and children that it waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time in its own code, in µs.
    pub user_us: u64,
    /// Processor time in the kernel, in µs.
    pub system_us: u64,
    /// The most memory at once, in KiB. Never less than the harness itself had when the sandbox
    /// was made: [`Sandbox::sample`] is exact.
    pub max_rss_kib: u64,
}

/// A place of the stage where changes gather.
#[derive(Debug)]
struct Place {
    dir: OwnedFd,
    at: PathBuf,
    /// The number of the layer whose lower directory this has.
    layer: Option<usize>,
    /// Below the stage, or, without, below the target.
    stage: Option<String>,
}

/// A sandbox. May be sent to other threads.
#[derive(Debug)]
pub struct Sandbox {
    host: Host,
    init: OwnedFd,
    init_pid: i32,
    control: OwnedFd,
    view: View,
    places: Vec<Place>,
    scratch: PathBuf,
    /// A directory of the host to remove in the end.
    temporary: Option<PathBuf>,
    mark: u64,
    programs: Vec<String>,
    target: Target,
    next: u64,
    running: Vec<ChildId>,
    /// The links of descriptors that commands were given, also those of commands that ended.
    pipes: Vec<[Option<OsString>; 3]>,
    ended: VecDeque<(ChildId, ExitStatus, Usage)>,
    cache: Cache,
    gone: bool,
    /// The init was waited for.
    reaped: bool,
}

/// How long the init may take for one thing.
const PATIENCE: Duration = Duration::from_secs(20);
const SMALL_DISK: &str = "size=16m,nr_inodes=20000,mode=0755";

impl Sandbox {
    /// Makes a fresh sandbox. Its scratch space holds the empty directories `dir`, `dir2`, `home`,
    /// `tmp` and `bin`.
    ///
    /// # Errors
    ///
    /// When the machine is out of something, or the tier cannot give what is asked.
    pub fn start(host: &Host, spec: &Spec) -> Result<Self, Error> {
        let mut programs = Vec::with_capacity(spec.commands.len());
        for command in &spec.commands {
            programs.push(Program::new(command, &host.inner.cpus)?);
        }
        let mut temporary = None;
        let mark = host.mark();
        let walls = match host.tier() {
            Tier::Overlay => namespaces(host, spec.target),
            tier @ (Tier::Copy | Tier::None) => {
                if spec.target != Target::Plain {
                    let what = "a file system of its own for {dir}";
                    return Err(Error::Unsupported { tier, what });
                }
                let made = scratch_directory()?;
                let landlock = match tier {
                    Tier::Copy => Some(walls::landlock(&made)),
                    _ => None,
                };
                temporary = Some(made);
                Walls::Processes { landlock: landlock.transpose()? }
            }
        };
        let mut prepared = Prepared {
            walls,
            programs,
            mark,
            limits: &host.inner.options.limits,
            filter: &host.inner.filter,
            stack: Vec::with_capacity(STACK_BYTES),
        };
        let launched = launch::launch(&mut prepared).map_err(host::clone_error)?;
        drop(prepared);
        let mut fds = match Self::ready(&launched) {
            Ok(fds) => fds.into_iter(),
            Err(error) => {
                launch::reap(&launched.pidfd, 5_000);
                return Err(error);
            }
        };
        let scratch = temporary.clone().unwrap_or_else(|| PathBuf::from(plan::SCRATCH));
        let (view, places) = match host.tier() {
            Tier::Overlay => {
                let (Some(stage), Some(root)) = (fds.next(), fds.next()) else {
                    return Err(Error::Gone);
                };
                let places = overlay_places(host, &stage, fds.next(), spec.target)?;
                (View { top: root, at: PathBuf::from("/") }, places)
            }
            Tier::Copy | Tier::None => {
                let top = open_directory(&scratch)?;
                let dir = top.try_clone().map_err(scratch_error(&scratch))?;
                let place = Place { dir, at: scratch.clone(), layer: None, stage: None };
                (View { top, at: scratch.clone() }, vec![place])
            }
        };
        let sandbox = Self {
            host: host.clone(),
            init: launched.pidfd,
            init_pid: launched.pid,
            control: launched.control,
            view,
            places,
            scratch,
            temporary,
            mark,
            programs: spec
                .commands
                .iter()
                .filter_map(|command| Some(command.argv.first()?.to_string_lossy().into_owned()))
                .collect(),
            target: spec.target,
            next: 0,
            running: Vec::new(),
            pipes: Vec::new(),
            ended: VecDeque::new(),
            cache: Cache::default(),
            gone: false,
            reaped: false,
        };
        for file in &spec.plant {
            sandbox.view.write(&file.path, &file.bytes, Some(file.mode))?;
        }
        Ok(sandbox)
    }

    fn ready(launched: &launch::Launched) -> Result<Vec<OwnedFd>, Error> {
        let received = wait_reply(launched.control.as_fd())?;
        match received.reply.a {
            0 => Ok(received.fds),
            errno => {
                Err(Error::Step { step: received.reply.b, errno: errno_of(errno) })
            }
        }
    }

    /// The scratch space as the subject sees it: `/tmp/stickler` in the overlay tier, a directory
    /// of the host in the others.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Starts a command of the [`Spec`], in a session of its own, without a terminal.
    ///
    /// # Errors
    ///
    /// [`Error::Spawn`] when the program cannot be run; [`Error::Gone`] when the sandbox is gone.
    pub fn spawn(
        &mut self,
        command: usize,
        stdin: OwnedFd,
        stdout: OwnedFd,
        stderr: OwnedFd,
    ) -> Result<Child, Error> {
        let program = self.programs.get(command).ok_or(Error::NoCommand(command))?.clone();
        let id = ChildId(self.next);
        self.next += 1;
        let fds = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()];
        self.pipes.push(fds.map(link_of));
        let received = self.request(Operation::Spawn, command as u64, id.0, b"", &fds)?;
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
        Ok(Child { id, host_pid })
    }

    /// Becomes readable when a command ended. Other calls may have taken the news already, so ask
    /// [`Sandbox::next_exit`] until it has none before waiting.
    pub fn control_fd(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }

    /// The next command that ended, without waiting. When the sandbox itself goes
    /// ([`Sandbox::is_gone`]), nobody tells how the commands in it ended.
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

    /// Whether the sandbox was killed, or its init died: nothing in it lives.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// Kills a command's own process. Its end is told by [`Sandbox::next_exit`].
    pub fn kill_child(&mut self, child: ChildId) {
        if self.running.contains(&child) {
            let _ = self.request(Operation::Kill, child.0, 0, b"", &[]);
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
        let usage = Usage { user_us: reply.c, system_us: reply.d, max_rss_kib: reply.e };
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
        loop {
            match wait_reply(self.control.as_fd()) {
                Ok(received) if received.reply.kind == control::DONE => return Ok(received),
                Ok(received) => self.note_exit(&received),
                Err(Error::Gone) => {
                    self.gone = true;
                    return Err(Error::Gone);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes {dir} resist from now on. Take a snapshot afterwards: what this changes is no effect
    /// of a subject.
    ///
    /// # Errors
    ///
    /// When the sandbox's [`Target`] does not allow it, or a subject holds {dir} open for writing.
    pub fn protect(&mut self, protection: Protection) -> Result<(), Error> {
        let result = match protection {
            Protection::Forbidden => return self.forbid(),
            _ if self.target == Target::Plain => {
                let tier = self.host.tier();
                return Err(Error::Unsupported { tier, what: "this protection of a plain {dir}" });
            }
            Protection::ReadOnly => self.request(Operation::ReadOnly, 0, 0, b"", &[])?,
            Protection::Full => {
                let Some(place) = self.places.last() else { return Err(Error::Gone) };
                let used = rustix::fs::fstatfs(&place.dir)
                    .map_err(|errno| Error::System { call: "fstatfs", errno })?;
                let block = u64::try_from(used.f_bsize).unwrap_or(4096);
                // A size of 0 would mean no limit.
                let bytes = (used.f_blocks - used.f_bfree).max(1) * block;
                let inodes = (used.f_files - used.f_ffree).max(1);
                self.request(Operation::Resize, bytes, inodes, b"", &[])?
            }
        };
        match result.reply.a {
            0 => Ok(()),
            errno => Err(Error::System { call: "protecting {dir}", errno: errno_of(errno) }),
        }
    }

    fn forbid(&mut self) -> Result<(), Error> {
        let dir = self.scratch.join("dir");
        let owner = (rustix::process::geteuid().is_root() && self.host.inner.privileged)
            .then_some(12_345);
        self.view.each(&dir, &mut |fd, directory| {
            if let Some(owner) = owner {
                view::chown(fd.as_fd(), owner, owner)?;
            }
            view::chmod(fd, if directory { 0o555 } else { 0o444 })
        })
    }

    /// Reads the state of all files that differ from the machine's.
    ///
    /// # Errors
    ///
    /// None at present; a sandbox whose init is gone can still be read.
    pub fn snapshot(&mut self) -> Result<Snapshot, Error> {
        let mut cache = std::mem::take(&mut self.cache);
        let host = self.host.clone();
        let places = std::mem::take(&mut self.places);
        let roots: Vec<Root<'_>> = places
            .iter()
            .map(|place| Root {
                dir: place.dir.as_fd(),
                at: &place.at,
                lower: place.layer.and_then(|layer| host.inner.lowers.get(layer)?.as_ref()),
            })
            .collect();
        let overlay = self.host.tier() == Tier::Overlay;
        let mut open = |root: usize, below: &[u8]| {
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
            self.request(Operation::Open, kind, 0, payload, &[]).ok()?.fds.pop()
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

    /// All processes in the sandbox, also those that left their parents.
    pub fn processes(&self) -> Vec<Process> {
        self.pids().into_iter().filter_map(|pid| processes::describe(pid, &self.pipes)).collect()
    }

    /// What one process uses now, by its number outside; nothing when it has ended.
    pub fn sample(&self, host_pid: i32) -> Option<Sample> {
        processes::sample(host_pid)
    }

    /// How many processes there are now, and their memory in KiB; shared pages count for each.
    pub fn tree_usage(&self) -> (usize, u64) {
        let pids = self.pids();
        (pids.len(), pids.into_iter().filter_map(processes::rss_kib).sum())
    }

    /// Reads a file of the sandbox, at most `most` bytes. As in all that follow, the path is
    /// absolute and as the subject sees it; no link on it is followed, at its end neither.
    ///
    /// # Errors
    ///
    /// When it is missing, no regular file, or behind a link.
    pub fn read_file(&self, path: &[u8], most: u64) -> Result<Vec<u8>, Error> {
        self.view.read(as_path(path), most)
    }

    /// Writes a file of the sandbox, with the directories above it. A file that is there keeps its
    /// owner and permissions; a new one gets 0644.
    ///
    /// # Errors
    ///
    /// When something else stands there, or a link is on the way.
    pub fn write_file(&self, path: &[u8], content: &[u8]) -> Result<(), Error> {
        self.view.write(as_path(path), content, None)
    }

    /// Makes a directory of the sandbox with permissions 0755.
    ///
    /// # Errors
    ///
    /// When something stands there, or a link is on the way.
    pub fn mkdir(&self, path: &[u8]) -> Result<(), Error> {
        self.view.directory(as_path(path), 0o755)
    }

    /// Makes a symbolic link.
    ///
    /// # Errors
    ///
    /// When something stands there, or a link is on the way.
    pub fn symlink(&self, path: &[u8], to: &[u8]) -> Result<(), Error> {
        self.view.symlink(as_path(path), as_path(to))
    }

    /// Removes a file, a link, or a directory with all that is in it.
    ///
    /// # Errors
    ///
    /// When it is missing, or a link is on the way.
    pub fn remove(&self, path: &[u8]) -> Result<(), Error> {
        self.view.remove(as_path(path))
    }

    /// Sets permissions.
    ///
    /// # Errors
    ///
    /// When it is missing, a link, or behind one.
    pub fn chmod(&self, path: &[u8], mode: u32) -> Result<(), Error> {
        self.view.chmod(as_path(path), mode)
    }

    /// Sets owner and group. Only root can.
    ///
    /// # Errors
    ///
    /// When it is missing, behind a link, or not permitted.
    pub fn chown(&self, path: &[u8], uid: u32, gid: u32) -> Result<(), Error> {
        self.view.chown(as_path(path), uid, gid)
    }

    /// The network namespace, if root may keep it and no socket was left open or closing in it.
    fn clean_network(&self) -> Option<OwnedFd> {
        let inner = &self.host.inner;
        let fit = inner.privileged && !inner.options.network && self.temporary.is_none();
        if self.gone || !self.running.is_empty() || !fit {
            return None;
        }
        let counts = self.view.read(Path::new("/proc/1/net/sockstat"), 4096).ok()?;
        let counts = String::from_utf8(counts).ok()?;
        let counts6 = self.view.read(Path::new("/proc/1/net/sockstat6"), 4096).unwrap_or_default();
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

    /// Kills everything in the sandbox, and waits until it is gone. Files can still be read.
    pub fn kill(&mut self) {
        if self.gone && self.reaped {
            return;
        }
        let network = self.clean_network();
        let _ = rustix::process::pidfd_send_signal(&self.init, Signal::KILL);
        if self.temporary.is_some() {
            kill_marked(self.mark);
        }
        self.reaped = launch::reap(&self.init, 10_000);
        if let (Some(network), true) = (network, self.reaped) {
            self.host.give_network(network);
        }
        while let Ok(Some(received)) = control::receive_reply(self.control.as_fd()) {
            self.note_exit(&received);
        }
        self.gone = true;
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.kill();
        if let Some(temporary) = &self.temporary {
            remove_temporary(temporary);
        }
    }
}

/// A tier without pid namespaces is emptied by hand: stop all, so that none can fork, then kill.
fn kill_marked(mark: u64) {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let pids: Vec<i32> = processes::marked(mark)
            .into_iter()
            .filter(|pid| processes::state(*pid).is_some_and(|(state, _)| !"ZX".contains(state)))
            .collect();
        if pids.is_empty() || Instant::now() > end {
            return;
        }
        for signal in [Signal::STOP, Signal::KILL] {
            for pid in pids.iter().filter_map(|pid| rustix::process::Pid::from_raw(*pid)) {
                let _ = rustix::process::kill_process(pid, signal);
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn namespaces(host: &Host, target: Target) -> Walls<'_> {
    let inner = &host.inner;
    let limits = &inner.options.limits;
    let mut more = Vec::new();
    let at = match target {
        Target::Plain => None,
        Target::Tmpfs => Some(format!("{}/dir", plan::SCRATCH)),
        Target::FullDisk => Some(plan::SCRATCH.to_owned()),
    };
    if let Some(at) = &at {
        more.push(prepared::tmpfs_step(at, SMALL_DISK));
    }
    if target == Target::FullDisk {
        for name in plan::SUBFOLDERS {
            let path = plan::c(format!("root{}/{name}", plan::SCRATCH));
            more.push(plan::Step::Directory { path, mode: 0o755, owner: None });
        }
    }
    let map = |id: u32| plan::c(format!("{id} {id} 1"));
    Walls::Namespaces {
        plan: &inner.plan,
        more,
        target: at.map(|at| plan::c(format!("root{at}"))),
        stage: plan::c(format!(
            "size={},nr_inodes={},mode=0755",
            limits.disk.max(1 << 20),
            limits.files.max(1000)
        )),
        user: (!inner.privileged).then(|| {
            let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
            (map(uid.as_raw()), map(gid.as_raw()))
        }),
        network: if inner.options.network {
            Network::Host
        } else {
            host.take_network().map_or(Network::Fresh, Network::Used)
        },
    }
}

/// Opens the places of the stage. The target comes last.
fn overlay_places(
    host: &Host,
    stage: &OwnedFd,
    target: Option<OwnedFd>,
    kind: Target,
) -> Result<Vec<Place>, Error> {
    let layers = host.inner.plan.layers.iter().map(|layer| (layer.stage.clone(), layer.at.clone()));
    let mut places = Vec::new();
    for (number, (path, at)) in layers.chain([("dev".to_owned(), "/dev".into())]).enumerate() {
        let flags = rustix::fs::OFlags::PATH
            | rustix::fs::OFlags::DIRECTORY
            | rustix::fs::OFlags::NOFOLLOW
            | rustix::fs::OFlags::CLOEXEC;
        let dir = rustix::fs::openat(stage, path.as_str(), flags, rustix::fs::Mode::empty())
            .map_err(|errno| Error::System { call: "opening the stage", errno })?;
        places.push(Place { dir, at, layer: Some(number), stage: Some(path) });
    }
    if let Some(dir) = target {
        let at = match kind {
            Target::Tmpfs => Path::new(plan::SCRATCH).join("dir"),
            _ => PathBuf::from(plan::SCRATCH),
        };
        places.push(Place { dir, at, layer: None, stage: None });
    }
    Ok(places)
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

fn errno_of(word: u64) -> Errno {
    init::errno(i32::try_from(word).unwrap_or(libc::EIO))
}

/// Waits for the next message of the init.
fn wait_reply(control: BorrowedFd<'_>) -> Result<Received, Error> {
    let end = Instant::now() + PATIENCE;
    loop {
        match control::receive_reply(control) {
            Ok(Some(received)) => return Ok(received),
            Ok(None) => return Err(Error::Gone),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(errno) => return Err(Error::System { call: "recvmsg", errno }),
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::Stuck(PATIENCE.as_secs()));
        }
        let timeout = left.try_into().ok();
        let mut fds = [PollFd::from_borrowed_fd(control, PollFlags::IN)];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(Error::System { call: "poll", errno }),
        }
    }
}

/// `pipe:[123]` and the like, as `/proc/PID/fd` shows it. Files and devices are no pipes.
fn link_of(fd: BorrowedFd<'_>) -> Option<OsString> {
    use std::os::fd::AsRawFd;
    let link = std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).ok()?;
    (!link.as_os_str().as_bytes().starts_with(b"/")).then(|| link.into_os_string())
}

fn scratch_error(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    |source| Error::Scratch { path: path.to_owned(), source }
}

fn open_directory(path: &Path) -> Result<OwnedFd, Error> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
        .map_err(|errno| scratch_error(path)(errno.into()))
}

/// Makes a directory of the host for a tier without overlays.
fn scratch_directory() -> Result<PathBuf, Error> {
    let above = std::env::temp_dir();
    let above = above.canonicalize().map_err(scratch_error(&above))?;
    loop {
        let mut random = [0_u8; 8];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())
            .map_err(|errno| Error::System { call: "getrandom", errno })?;
        let made = above.join(format!("stickler-{:016x}", u64::from_le_bytes(random)));
        match rustix::fs::mkdir(&made, rustix::fs::Mode::from_raw_mode(0o755)) {
            Ok(()) => {
                for name in plan::SUBFOLDERS {
                    let path = made.join(name);
                    std::fs::create_dir(&path).map_err(scratch_error(&path))?;
                }
                return Ok(made);
            }
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(scratch_error(&above)(errno.into())),
        }
    }
}

fn remove_temporary(path: &Path) {
    if let (Some(parent), Some(name)) = (path.parent(), path.file_name())
        && let Ok(parent) = open_directory(parent)
    {
        let _ = view::remove_tree(parent.as_fd(), name);
    }
}
