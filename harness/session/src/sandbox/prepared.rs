//! All that the init and the children need, laid out before the clone: after it, memory of the
//! harness is only read.

use std::ffi::{CString, OsStr};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;

use rustix::thread::{CapabilitySet, CpuSet};

use super::limits::{self, Limits};
use super::plan::{Plan, Step, c};
use super::{Command, Error};

/// A program to run, as execve takes it.
#[derive(Debug)]
pub(super) struct Program {
    /// The files to try, in the order of PATH.
    pub(super) candidates: Vec<CString>,
    /// Null-terminated arrays of pointers into `_texts`.
    pub(super) argv: Vec<*const libc::c_char>,
    pub(super) envp: Vec<*const libc::c_char>,
    _texts: Vec<CString>,
    pub(super) cwd: CString,
    pub(super) umask: u32,
    pub(super) cpus: CpuSet,
    pub(super) kept: CapabilitySet,
}

impl Program {
    pub(super) fn new(command: &Command, all_cpus: &CpuSet) -> Result<Self, Error> {
        let text = |bytes: &[u8]| {
            CString::new(bytes).map_err(|_| Error::Nul(String::from_utf8_lossy(bytes).into_owned()))
        };
        let Some(name) = command.argv.first() else {
            return Err(Error::NoProgram);
        };
        let path = command
            .env
            .iter()
            .find(|(key, _)| key == "PATH")
            .map(|(_, value)| value);
        let mut candidates = Vec::new();
        if name.as_bytes().contains(&b'/') {
            candidates.push(text(name.as_bytes())?);
        } else {
            let path = path.map_or(OsStr::new("/usr/bin:/bin"), |path| path.as_os_str());
            for folder in path.as_bytes().split(|byte| *byte == b':') {
                let folder = if folder.is_empty() {
                    b".".as_slice()
                } else {
                    folder
                };
                candidates.push(text(&[folder, b"/", name.as_bytes()].concat())?);
            }
        }
        let mut texts = Vec::new();
        for argument in &command.argv {
            texts.push(text(argument.as_bytes())?);
        }
        for (key, value) in &command.env {
            texts.push(text(&[key.as_bytes(), b"=", value.as_bytes()].concat())?);
        }
        let pointers = |texts: &[CString]| {
            texts
                .iter()
                .map(|text| text.as_ptr())
                .chain([std::ptr::null()])
                .collect::<Vec<*const libc::c_char>>()
        };
        let (arguments, variables) = texts.split_at(command.argv.len());
        let (argv, envp) = (pointers(arguments), pointers(variables));
        let mut cpus = CpuSet::new();
        match command.cpu {
            Some(cpu) if cpu < CpuSet::MAX_CPU => cpus.set(cpu),
            _ => cpus = *all_cpus,
        }
        Ok(Self {
            candidates,
            argv,
            envp,
            _texts: texts,
            cwd: text(command.cwd.as_os_str().as_bytes())?,
            umask: command.umask,
            cpus,
            kept: if command.unprivileged {
                limits::KEPT_UNPRIVILEGED
            } else {
                limits::KEPT
            },
        })
    }
}

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

/// Handed to the init by being there when the harness is copied.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub(super) walls: Walls<'a>,
    pub(super) programs: Vec<Program>,
    /// Borne by every process of the sandbox; see [`limits::mark`].
    pub(super) mark: u64,
    pub(super) limits: &'a Limits,
    pub(super) filter: &'a [libc::sock_filter],
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
