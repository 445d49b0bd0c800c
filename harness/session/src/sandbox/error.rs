//! Errors of the sandbox.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

/// A sandbox could not be made or used. Messages fit after "failed to … : ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A path to expose is relative.
    #[error("expose takes absolute paths, not {0:?}")]
    Expose(PathBuf),
    /// No tier works on this machine.
    #[error("no kind of sandbox works on this machine")]
    NoTier,
    /// The capabilities of the machine could not be determined.
    #[error("the machine could not be probed: {0}")]
    Probe(#[source] Errno),
    /// /proc could not be read.
    #[error("/proc cannot be read; mount it: {0}")]
    Proc(#[source] io::Error),
    /// The kernel or an administrator forbids something.
    #[error("{what} is not permitted: {errno}{hint}")]
    Forbidden {
        /// What was tried.
        what: String,
        /// The setting that forbids it, if known.
        hint: String,
        /// The kernel's error; the message includes it, so it is no source.
        errno: Errno,
    },
    /// A step of setting up failed.
    #[error("step {step} of setting up the sandbox failed: {errno}")]
    Step {
        /// The number of the step.
        step: u64,
        /// The kernel's error.
        #[source]
        errno: Errno,
    },
    /// Landlock is missing or refuses.
    #[error("landlock: {0}")]
    Landlock(String),
    /// The scratch directory could not be created.
    #[error("no scratch directory in {}: {source}; set TMPDIR to a directory that can be written", path.display())]
    Scratch {
        /// The parent directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Something else exists at the path of the scratch directory.
    #[error("{} is no directory of yours, and sessions without overlays take place there; remove it, or wait for the other user's run", path.display())]
    Foreign {
        /// The path.
        path: PathBuf,
    },
    /// A command has no arguments.
    #[error("a command needs a program")]
    NoProgram,
    /// A command contains a NUL byte.
    #[error("a command cannot hold a NUL byte: {0:?}")]
    Nul(String),
    /// There is no such command in the sandbox's specification.
    #[error("there is no command number {0} in this sandbox")]
    NoCommand(usize),
    /// A command could not be started.
    #[error("{program:?} could not be started: {source}")]
    Spawn {
        /// The program's name.
        program: String,
        /// The error of exec.
        source: io::Error,
    },
    /// The tier does not support it.
    #[error("a {tier} sandbox cannot give {what}")]
    Unsupported {
        /// The tier.
        tier: super::tier::Tier,
        /// What was requested.
        what: &'static str,
    },
    /// A path outside the sandbox was requested.
    #[error("{} is not in the sandbox", .0.display())]
    Outside(PathBuf),
    /// The harness could not handle a file of the sandbox.
    #[error("{}: {source}", path.display())]
    File {
        /// The file, as the subject sees it.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The sandbox's init did not answer in time.
    #[error("the sandbox did not answer within {0} s")]
    Stuck(u64),
    /// The sandbox's init has ended: killed, or out of memory.
    #[error("the sandbox is gone")]
    Gone,
    /// A system call failed.
    #[error("{call}: {errno}")]
    System {
        /// Which one.
        call: &'static str,
        /// Why.
        #[source]
        errno: Errno,
    },
}
