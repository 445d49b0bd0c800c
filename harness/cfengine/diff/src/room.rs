//! One agent's run: a fresh sandbox with a work directory, a deadline, and the results.

use crate::interpose::{self, Module};
use crate::normal::Paths;
use crate::seen::Sent;
use crate::{Error, Mode};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
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
        let captured = sandbox.capture(0, b"", self.deadline)?;
        let hung = captured.exit.is_none();
        let exit = match captured.exit {
            Some(ExitStatus::Code(code)) => format!("exit code {code}"),
            Some(ExitStatus::Signal(signal)) => format!("ended by signal {signal}"),
            None => self.hang(&sandbox, captured.child),
        };
        Ok(Raw {
            exit,
            hung,
            requests: modules.map(|_| records(&sandbox)),
            effects: sandbox.snapshot()?.diff(&before),
            stdout: captured.stdout,
            stderr: captured.stderr,
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

/// The path of the agent with this name: in `PATH`, or in the given directories.
pub fn find(name: &str, folders: &[&Path]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain(folders.iter().map(|path| path.to_path_buf()));
    let mut places = places.map(|folder| folder.join(name));
    places.find(|path| {
        path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
    })
}
