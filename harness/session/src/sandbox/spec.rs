//! The specification of a sandbox, and how its commands end.

use super::control::Operation;
use std::ffi::OsString;
use std::path::PathBuf;

/// A program that a sandbox can run, with its environment.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program and its arguments. A program without a slash is looked up in the PATH of `env`.
    pub argv: Vec<OsString>,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Its working directory, as seen in the sandbox.
    pub cwd: PathBuf,
    /// Its file mode creation mask.
    pub umask: u32,
    /// The only CPU that it runs on.
    pub cpu: Option<usize>,
    /// Runs as root, but without root's rights over files. Has no effect for a user without such
    /// rights.
    pub unprivileged: bool,
    /// May be a copy of an interpreter that has started before. It is a fresh process otherwise.
    pub warm: bool,
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
            warm: false,
        }
    }
}

/// The file system of {dir}. All but [`Target::Plain`] need the overlay tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// The scratch space, as for the other subfolders.
    #[default]
    Plain,
    /// A separate file system of 16 MiB that can be made read-only or full.
    Tmpfs,
    /// The whole scratch space is one file system of 16 MiB: if it is full, so are TMPDIR and HOME.
    FullDisk,
}

/// How {dir} refuses writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Mounted read-only: changes fail with `EROFS`. Needs [`Target::Tmpfs`] or
    /// [`Target::FullDisk`]; the whole file system becomes read-only.
    ReadOnly,
    /// No space left: writes of new data fail with `ENOSPC`. Needs the same targets.
    Full,
    /// {dir} and everything in it belongs to another user, or has no write permission: changes fail
    /// with `EACCES` or `EPERM`. For a command with [`Command::unprivileged`] this holds even as
    /// root.
    Forbidden,
}

/// A file that is put into the scratch space before anything runs.
#[derive(Clone, Debug)]
pub struct PlantedFile {
    /// Its absolute path, as the subject sees it.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its permissions.
    pub mode: u32,
}

/// The specification of a sandbox.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// The commands that can run in it, by number; each may run any number of times.
    pub commands: Vec<Command>,
    /// The file system of {dir}.
    pub target: Target,
    /// Files that exist from the beginning.
    pub plant: Vec<PlantedFile>,
}

/// The number of a running command in its sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChildId(pub(super) u64);

/// A started command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// Its number in the sandbox.
    pub id: ChildId,
    /// Its process id outside the sandbox.
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

/// What a command used until its end, including children that it waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time in its own code, in µs.
    pub user_us: u64,
    /// Processor time in the kernel, in µs.
    pub system_us: u64,
    /// The peak memory, in KiB. It is at least as large as the harness was when its first sandbox
    /// was made; [`Sandbox::sample`](super::Sandbox::sample) is exact.
    pub max_rss_kib: u64,
}

/// Which calls of a command the kernel announces, so that they wait for the harness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Announced {
    /// None.
    #[default]
    Nothing,
    /// Each that changes a file.
    Changes,
    /// Those after which files may have changed: not each write, but the opening of what is
    /// written. What only reads runs undisturbed.
    Touches,
}

impl Announced {
    pub(super) fn operation(self) -> Operation {
        match self {
            Announced::Nothing => Operation::Spawn,
            Announced::Changes => Operation::SpawnWatched,
            Announced::Touches => Operation::SpawnTold,
        }
    }
}
