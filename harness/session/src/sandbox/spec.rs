//! What a sandbox is to be, and what becomes of its commands.

use std::ffi::OsString;
use std::path::PathBuf;

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
pub struct ChildId(pub(super) u64);

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
    /// The most memory at once, in KiB. Never less than the harness itself had when its first
    /// sandbox was made: [`Sandbox::sample`](super::Sandbox::sample) is exact.
    pub max_rss_kib: u64,
}
