//! One agent's run: a fresh sandbox with a work directory, a deadline, and the results.

use crate::interpose::{self, Module};
use crate::normal::Paths;
use crate::seen::Sent;
use crate::{Error, Mode};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::MemfdFlags;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickler_session::sandbox::{
    Child, Command, ExitStatus, Host, PlantedFile, Sandbox, Spec, Tier,
};
use stickler_transcript::{Bytes, Change};

/// The most bytes of an output that are read.
const MOST_OUTPUT: u64 = 64 << 20;
/// The most module records that are read.
const MOST_RECORDS: usize = 1000;

/// An agent to run.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The program and the arguments before the options.
    pub command: Vec<OsString>,
    /// `cf-promises`, which cf-agent expects in its work directory.
    pub promises: Option<PathBuf>,
}

/// The raw results of a run.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    /// How it ended, in words.
    pub exit: String,
    /// Whether the run was killed because it did not end by itself.
    pub hung: bool,
    /// Stdout.
    pub stdout: Vec<u8>,
    /// Stderr.
    pub stderr: Vec<u8>,
    /// The requests to modules.
    pub requests: Option<Vec<Sent>>,
    /// Changes on disk.
    pub effects: Vec<Change>,
}

/// The conditions under which every run starts.
#[derive(Clone, Debug)]
pub struct Room {
    /// The provider of sandboxes.
    pub host: Host,
    /// The directory in which agents are called.
    pub cwd: PathBuf,
    /// The policy's path, as given to agents.
    pub file: String,
    /// Further options (such as `-D`, `-b`).
    pub options: Vec<String>,
    /// Files in the scratch space at the start.
    pub plants: Vec<PlantedFile>,
    /// The recorder: `PROGRAM interpose STAND-IN ARGUMENT…`.
    pub recorder: PathBuf,
    /// The time limit of a run.
    pub deadline: Duration,
}

impl Room {
    /// Whether recorders can replace modules.
    pub fn records(&self) -> bool {
        self.host.tier() == Tier::Overlay
    }

    /// The paths that are replaced by names.
    pub fn paths(&self) -> Paths<'_> {
        Paths {
            scratch: self.host.scratch(),
            cwd: &self.cwd,
        }
    }

    /// The modules that this agent starts.
    ///
    /// # Errors
    ///
    /// If there is no sandbox, or the agent can't be started in it.
    pub fn modules(&self, agent: &Agent) -> Result<Vec<Module>, Error> {
        let raw = self.run(agent, Mode::Verbose, None, &[])?;
        Ok(interpose::started(&String::from_utf8_lossy(&raw.stdout)))
    }

    /// Runs an agent. Without `modules`, nothing is recorded.
    ///
    /// # Errors
    ///
    /// If there is no sandbox, or the agent can't be started in it.
    pub fn run(
        &self,
        agent: &Agent,
        mode: Mode,
        modules: Option<&[Module]>,
        more: &[&str],
    ) -> Result<Raw, Error> {
        let spec = Spec {
            commands: vec![self.command(agent, mode, more)],
            plant: self.plants.clone(),
            ..Spec::default()
        };
        let mut sandbox = Sandbox::start(&self.host, &spec)?;
        self.work_directory(&sandbox, agent)?;
        if let Some(modules) = modules {
            interpose::plant(&sandbox, &self.recorder, &self.cwd, modules)?;
        }
        let before = sandbox.snapshot()?;
        let (stdout, stderr) = (capture("stdout")?, capture("stderr")?);
        let null = File::open("/dev/null").map_err(system("opening /dev/null"))?;
        let child = sandbox.spawn(0, null.into(), copy(&stdout)?, copy(&stderr)?)?;
        let exit = await_exit(&mut sandbox, child, Instant::now() + self.deadline);
        let hung = exit.is_none();
        let exit = match exit {
            Some(ExitStatus::Code(code)) => format!("exit code {code}"),
            Some(ExitStatus::Signal(signal)) => format!("ended by signal {signal}"),
            None => self.hang(&sandbox, child),
        };
        Ok(Raw {
            exit,
            hung,
            requests: modules.map(|_| records(&sandbox)),
            effects: sandbox.snapshot()?.diff(&before),
            stdout: content(stdout)?,
            stderr: content(stderr)?,
        })
    }

    fn command(&self, agent: &Agent, mode: Mode, more: &[&str]) -> Command {
        let mut argv = agent.command.clone();
        argv.extend(["-K", "-f", &self.file].map(OsString::from));
        argv.extend(mode.options().iter().map(OsString::from));
        argv.extend(self.options.iter().map(OsString::from));
        argv.extend(more.iter().map(OsString::from));
        argv.push("--show-evaluated-classes".into());
        let scratch = self.host.scratch();
        let mut command = Command::new(argv);
        command.env = [
            ("PATH", OsString::from("/usr/bin:/bin:/usr/sbin:/sbin")),
            ("HOME", scratch.join("home").into()),
            ("TMPDIR", scratch.join("tmp").into()),
            (
                "CFENGINE_TEST_OVERRIDE_WORKDIR",
                scratch.join("work").into(),
            ),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .collect();
        command.cwd.clone_from(&self.cwd);
        command
    }

    /// Creates a work directory that meets cf-agent's requirements.
    fn work_directory(&self, sandbox: &Sandbox, agent: &Agent) -> Result<(), Error> {
        let work = self.host.scratch().join("work");
        for folder in ["", "inputs", "ppkeys", "modules", "state", "bin"] {
            let folder = work.join(folder);
            sandbox.mkdir(folder.as_os_str().as_bytes())?;
            sandbox.chmod(folder.as_os_str().as_bytes(), 0o700)?;
        }
        if let Some(promises) = &agent.promises {
            let link = work.join("bin/cf-promises");
            let to = promises.as_os_str().as_bytes();
            sandbox.symlink(link.as_os_str().as_bytes(), to)?;
        }
        Ok(())
    }

    /// Describes the processes that did not exit.
    fn hang(&self, sandbox: &Sandbox, child: Child) -> String {
        let mut text = format!("still running after {} s", self.deadline.as_secs_f64());
        let processes = sandbox.processes();
        let others = processes.iter().filter(|process| {
            process.host_pid != child.host_pid && !process.command_line.contains(" interpose ")
        });
        let names: Vec<&str> = others.map(|process| &*process.command_line).collect();
        if !names.is_empty() {
            text.push_str(&format!("; with {}", names.join(", ")));
        }
        text
    }
}

fn await_exit(sandbox: &mut Sandbox, child: Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        while let Some((id, status, _)) = sandbox.next_exit() {
            if id == child.id {
                return Some(status);
            }
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || sandbox.is_gone() {
            return None;
        }
        let left = Timespec::try_from(left).ok();
        let mut fds = [PollFd::from_borrowed_fd(
            sandbox.control_fd(),
            PollFlags::IN,
        )];
        // An interrupted wait only makes the loop check again.
        let _ = poll(&mut fds, left.as_ref());
    }
}

/// The recorders' records, in the order in which the modules started.
fn records(sandbox: &Sandbox) -> Vec<Sent> {
    let folder = sandbox.scratch().join("records");
    let read = |number: usize| {
        let path = folder.join(number.to_string());
        let content = sandbox.read_file(path.as_os_str().as_bytes(), MOST_OUTPUT);
        let content = content.ok()?;
        let name = content.iter().position(|byte| *byte == b'\n')?;
        Some(Sent {
            module: String::from_utf8_lossy(&content[..name]).into_owned(),
            bytes: Bytes::from(&content[name + 1..]),
        })
    };
    (0..MOST_RECORDS).map_while(read).collect()
}

fn system(what: &'static str) -> impl Fn(std::io::Error) -> Error {
    move |source| Error::System { what, source }
}

/// Creates an anonymous file. Unlike with a pipe, a leftover process does not delay the reader.
fn capture(name: &str) -> Result<File, Error> {
    let fd = rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC);
    Ok(fd
        .map_err(|errno| system("memfd_create")(errno.into()))?
        .into())
}

fn copy(file: &File) -> Result<OwnedFd, Error> {
    let copy = file.try_clone().map_err(system("dup"))?;
    Ok(copy.into())
}

fn content(mut file: File) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let error = system("reading an agent's output");
    file.seek(SeekFrom::Start(0)).map_err(&error)?;
    file.take(MOST_OUTPUT)
        .read_to_end(&mut bytes)
        .map_err(&error)?;
    Ok(bytes)
}

/// The path of the agent with this name: in `PATH`, or in the given directories.
pub fn find(name: &str, folders: &[&Path]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain(folders.iter().map(|path| path.to_path_buf()));
    let mut places = places.map(|folder| folder.join(name));
    places.find(|path| {
        path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
    })
}
