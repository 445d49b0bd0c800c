//! What can go wrong.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

/// A sandbox could not be made or used. Messages fit after "failed to … : ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name of a tier is misspelt.
    #[error("unknown sandbox tier {0:?}: use overlay, copy or none")]
    UnknownTier(String),
    /// A path to expose is relative.
    #[error("expose takes absolute paths, not {0:?}")]
    Expose(PathBuf),
    /// No tier works on this machine.
    #[error("no kind of sandbox works on this machine")]
    NoTier,
    /// The machine could not be asked.
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
        /// The setting that forbids it, where that is known.
        hint: String,
        /// What the kernel said.
        #[source]
        errno: Errno,
    },
    /// A step of setting up failed.
    #[error("step {step} of setting up the sandbox failed: {errno}")]
    Step {
        /// The number of the step.
        step: u64,
        /// What the kernel said.
        #[source]
        errno: Errno,
    },
    /// Landlock is missing or refuses.
    #[error("landlock: {0}")]
    Landlock(String),
    /// The scratch directory could not be made.
    #[error("no scratch directory in {}: {source}; set TMPDIR to a directory that can be written", path.display())]
    Scratch {
        /// Where it was tried.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Something else stands where the scratch directory should.
    #[error("{} is no directory of yours, and sessions without overlays take place there; remove it, or wait for the other user's run", path.display())]
    Foreign {
        /// What stands there.
        path: PathBuf,
    },
    /// A command has no argument at all.
    #[error("a command needs a program")]
    NoProgram,
    /// A command holds a NUL byte.
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
        /// What exec said.
        source: io::Error,
    },
    /// The tier cannot do it.
    #[error("a {tier} sandbox cannot give {what}")]
    Unsupported {
        /// The tier.
        tier: super::Tier,
        /// What was asked.
        what: &'static str,
    },
    /// A path outside the sandbox was asked for.
    #[error("{} is not in the sandbox", .0.display())]
    Outside(PathBuf),
    /// A file of the sandbox could not be handled.
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
