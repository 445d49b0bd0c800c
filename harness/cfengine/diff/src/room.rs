//! One agent's run: a work directory, recorders in front of its modules, and the results.

use crate::Mode;
use crate::interpose::{self, Module};
use crate::paths::Paths;
use crate::seen::Sent;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use stickler_oracle::{End, Error, Job};
use stickler_session::sandbox::{PlantedFile, Sandbox, Tier};
use stickler_transcript::{Bytes, Change};

/// The most bytes of a record that are read.
const MOST_RECORD: u64 = 64 << 20;
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
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    /// How it ended.
    pub(crate) end: End,
    /// Stdout.
    pub(crate) stdout: Vec<u8>,
    /// Stderr.
    pub(crate) stderr: Vec<u8>,
    /// The requests to modules.
    pub(crate) requests: Option<Vec<Sent>>,
    /// Changes on disk.
    pub(crate) effects: Vec<Change>,
}

/// The conditions under which every run of an agent starts.
#[derive(Clone, Debug)]
pub struct Room {
    /// Sandbox, directory and deadline.
    pub room: stickler_oracle::Room,
    /// The policy's path, as given to agents.
    pub file: String,
    /// Further options (such as `-D`, `-b`).
    pub options: Vec<String>,
    /// Files in the scratch space at the start.
    pub plants: Vec<PlantedFile>,
    /// The recorder: `PROGRAM interpose STAND-IN ARGUMENT…`.
    pub recorder: PathBuf,
}

impl Room {
    /// Whether recorders can replace modules.
    pub(crate) fn records(&self) -> bool {
        self.room.host.tier() == Tier::Overlay
    }

    /// The paths that are replaced by names.
    pub(crate) fn paths(&self) -> Paths<'_> {
        Paths {
            scratch: self.room.host.scratch(),
            cwd: &self.room.cwd,
        }
    }

    /// The modules that this agent starts.
    pub(crate) fn modules(&self, agent: &Agent) -> Result<Vec<Module>, Error> {
        let raw = self.run(agent, Mode::Verbose, None, &[])?;
        Ok(interpose::started(&String::from_utf8_lossy(&raw.stdout)))
    }

    /// Runs an agent. Without `modules`, nothing is recorded.
    pub(crate) fn run(
        &self,
        agent: &Agent,
        mode: Mode,
        modules: Option<&[Module]>,
        more: &[&str],
    ) -> Result<Raw, Error> {
        let job = Job {
            argv: self.argv(agent, mode, more),
            env: vec![("CFENGINE_TEST_OVERRIDE_WORKDIR".into(), self.work().into())],
            plant: self.plants.clone(),
            input: Vec::new(),
        };
        let ran = self.room.run(job, |sandbox| {
            self.work_directory(sandbox, agent)?;
            match modules {
                Some(modules) => interpose::plant(sandbox, &self.recorder, &self.room.cwd, modules),
                None => Ok(()),
            }
        })?;
        let mut end = ran.end;
        if let End::Hung { with, .. } = &mut end {
            with.retain(|process| !process.contains(" interpose "));
        }
        Ok(Raw {
            end,
            requests: modules.map(|_| records(&ran.sandbox)),
            effects: ran.effects,
            stdout: ran.stdout,
            stderr: ran.stderr,
        })
    }

    fn argv(&self, agent: &Agent, mode: Mode, more: &[&str]) -> Vec<OsString> {
        let mut argv = agent.command.clone();
        argv.extend(["-K", "-f", &self.file].map(OsString::from));
        argv.extend(mode.options().iter().map(OsString::from));
        argv.extend(self.options.iter().map(OsString::from));
        argv.extend(more.iter().map(OsString::from));
        argv.push("--show-evaluated-classes".into());
        argv
    }

    fn work(&self) -> PathBuf {
        self.room.host.scratch().join("work")
    }

    /// Creates a work directory that meets cf-agent's requirements.
    fn work_directory(&self, sandbox: &Sandbox, agent: &Agent) -> Result<(), Error> {
        let work = self.work();
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
}

/// The recorders' records, in the order in which the modules started.
fn records(sandbox: &Sandbox) -> Vec<Sent> {
    let folder = sandbox.scratch().join("records");
    let read = |number: usize| {
        let path = folder.join(number.to_string());
        let content = sandbox.read_file(path.as_os_str().as_bytes(), MOST_RECORD);
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
