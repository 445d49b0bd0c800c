//! Everything that the init and its children need, prepared before the clone: afterwards they only
//! read the launcher's memory.

use std::ffi::CString;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::limits::Limits;
use super::plan::{Plan, Step, c};
use super::program::Program;

/// The network of a sandbox.
#[derive(Debug)]
pub(super) enum Network {
    /// The machine's network.
    Host,
    /// A new namespace, whose loopback interface must be brought up.
    Fresh,
    /// A clean namespace from an earlier sandbox.
    Used(OwnedFd),
}

/// How the init isolates its subjects.
#[derive(Debug)]
pub(super) enum Walls<'a> {
    /// With its own namespaces.
    Namespaces {
        plan: &'a Plan,
        /// Steps of this sandbox only, after those of the plan.
        more: Vec<Step>,
        /// The path of the target's tmpfs, below the stage.
        target: Option<CString>,
        /// The options of the stage's tmpfs.
        stage: CString,
        /// The lines for `uid_map` and `gid_map`, if a user namespace is needed.
        user: Option<(CString, CString)>,
        network: Network,
    },
    /// With a process that adopts orphans, and with Landlock if the kernel has it.
    Processes { landlock: Option<OwnedFd> },
}

/// Passed to the init through the memory of the launcher's copy.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub(super) walls: Walls<'a>,
    pub(super) programs: Vec<Program>,
    /// The mark of every process in the sandbox; see [`limits::mark`].
    pub(super) mark: u64,
    pub(super) limits: &'a Limits,
    pub(super) filter: &'a [libc::sock_filter],
    /// The filter that announces a watched command's calls.
    pub(super) watch: &'a [libc::sock_filter],
    /// The one that announces only those after which files may have changed.
    pub(super) touches: &'a [libc::sock_filter],
    /// Does the init stay in the launcher's namespace for System V segments?
    pub(super) shares_segments: bool,
    /// The stack for a child between vfork and exec. One child uses it at a time.
    pub(super) stack: Vec<u8>,
}

/// The stack size of a child between vfork and exec.
pub(super) const STACK_BYTES: usize = 64 * 1024;

impl Prepared<'_> {
    /// A descriptor that the init gets in addition to the control socket.
    pub(super) fn extra(&self) -> Option<RawFd> {
        match &self.walls {
            Walls::Namespaces {
                network: Network::Used(fd),
                ..
            } => Some(fd.as_raw_fd()),
            Walls::Namespaces { .. } => None,
            Walls::Processes { landlock } => landlock.as_ref().map(AsRawFd::as_raw_fd),
        }
    }

    pub(super) fn target_at(&self) -> Option<&CString> {
        match &self.walls {
            Walls::Namespaces { target, .. } => target.as_ref(),
            Walls::Processes { .. } => None,
        }
    }
}

/// A separate tmpfs at a path of the subject.
pub(super) fn tmpfs_step(at: &str, options: &str) -> Step {
    Step::Mount {
        kind: c("tmpfs"),
        at: c(format!("root{at}")),
        flags: libc::MS_NOSUID | libc::MS_NODEV,
        data: c(options),
    }
}
