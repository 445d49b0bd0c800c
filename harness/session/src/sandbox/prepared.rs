//! All that the init and the children need, laid out before the clone: after it, memory of the
//! launcher is only read.

use std::ffi::CString;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::limits::Limits;
use super::plan::{Plan, Step, c};
use super::program::Program;

/// Which network a sandbox has.
#[derive(Debug)]
pub(super) enum Network {
    /// That of the machine.
    Host,
    /// A fresh namespace, whose loopback interface is to be brought up.
    Fresh,
    /// A namespace that another sandbox left clean.
    Used(OwnedFd),
}

/// How the init holds its subjects.
#[derive(Debug)]
pub(super) enum Walls<'a> {
    /// Namespaces of its own.
    Namespaces {
        plan: &'a Plan,
        /// Steps that this sandbox alone needs, after those of the plan.
        more: Vec<Step>,
        /// The tmpfs that the target lies on, below the stage.
        target: Option<CString>,
        /// The options of the stage's tmpfs.
        stage: CString,
        /// Lines for `uid_map` and `gid_map` where a user namespace is needed.
        user: Option<(CString, CString)>,
        network: Network,
    },
    /// A process that adopts orphans, and Landlock where the kernel has it.
    Processes { landlock: Option<OwnedFd> },
}

/// Handed to the init by being there when the launcher is copied.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub(super) walls: Walls<'a>,
    pub(super) programs: Vec<Program>,
    /// Borne by every process of the sandbox; see [`limits::mark`].
    pub(super) mark: u64,
    pub(super) limits: &'a Limits,
    pub(super) filter: &'a [libc::sock_filter],
    /// Has a watched command's calls announced.
    pub(super) watch: &'a [libc::sock_filter],
    /// For children between vfork and exec. Used by one at a time.
    pub(super) stack: Vec<u8>,
}

/// Room for a child between vfork and exec.
pub(super) const STACK_BYTES: usize = 64 * 1024;

impl Prepared<'_> {
    /// A descriptor that the init takes over besides the control socket.
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

/// A tmpfs of its own at a path of the subject.
pub(super) fn tmpfs_step(at: &str, options: &str) -> Step {
    Step::Mount {
        kind: c("tmpfs"),
        at: c(format!("root{at}")),
        flags: libc::MS_NOSUID | libc::MS_NODEV,
        data: c(options),
    }
}
