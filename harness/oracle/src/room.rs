//! One side's run: a fresh sandbox, a deadline, and the results.

use crate::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stickler_session::sandbox::{Command, ExitStatus, Host, PlantedFile, Sandbox, Spec};
use stickler_transcript::Change;

/// The conditions under which every run starts.
#[derive(Clone, Debug)]
pub struct Room {
    /// The provider of sandboxes.
    pub host: Host,
    /// The directory in which the sides are called.
    pub cwd: PathBuf,
    /// The time limit of a run.
    pub deadline: Duration,
}

/// A program to run.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Variables, in addition to `PATH`, `HOME` and `TMPDIR`.
    pub env: Vec<(OsString, OsString)>,
    /// Files at the start.
    pub plant: Vec<PlantedFile>,
    /// Standard input.
    pub input: Vec<u8>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// By itself.
    Exit(ExitStatus),
    /// It was killed after this time.
    Hung {
        /// The deadline.
        after: Duration,
        /// The command lines of the other processes that were still running.
        with: Vec<String>,
    },
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Exit(ExitStatus::Code(code)) => write!(f, "exit code {code}"),
            End::Exit(ExitStatus::Signal(signal)) => write!(f, "ended by signal {signal}"),
            End::Hung { after, with } => {
                write!(f, "still running after {} s", after.as_secs_f64())?;
                match with.is_empty() {
                    true => Ok(()),
                    false => write!(f, "; with {}", with.join(", ")),
                }
            }
        }
    }
}

/// A finished run.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
    /// Changes on disk.
    pub effects: Vec<Change>,
    /// The sandbox, which still holds the files.
    pub sandbox: Sandbox,
}

impl Room {
    /// Runs a program. `prepare` changes the sandbox before; such changes are no effects.
    ///
    /// # Errors
    ///
    /// If there is no sandbox, if `prepare` fails, or if the program can't be started.
    pub fn run(
        &self,
        job: Job,
        prepare: impl FnOnce(&Sandbox) -> Result<(), Error>,
    ) -> Result<Ran, Error> {
        self.run_until(job, prepare, &AtomicBool::new(false))
    }

    /// The same, but ends the program, with all that it started, once `stop` is set.
    ///
    /// # Errors
    ///
    /// As [`Room::run`]; [`Error::Interrupted`] if `stop` was set.
    pub fn run_until(
        &self,
        job: Job,
        prepare: impl FnOnce(&Sandbox) -> Result<(), Error>,
        stop: &AtomicBool,
    ) -> Result<Ran, Error> {
        let scratch = self.host.scratch();
        let mut command = Command::new(job.argv);
        command.env = [
            ("PATH", OsString::from("/usr/bin:/bin:/usr/sbin:/sbin")),
            ("HOME", scratch.join("home").into()),
            ("TMPDIR", scratch.join("tmp").into()),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .chain(job.env)
        .collect();
        command.cwd.clone_from(&self.cwd);
        let spec = Spec {
            commands: vec![command],
            plant: job.plant,
            ..Spec::default()
        };
        let mut sandbox = Sandbox::start(&self.host, &spec)?;
        prepare(&sandbox)?;
        let before = sandbox.snapshot()?;
        let captured = sandbox.capture(0, &job.input, self.deadline, stop)?;
        if captured.exit.is_none() && stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let end = match captured.exit {
            Some(status) => End::Exit(status),
            None => End::Hung {
                after: self.deadline,
                with: sandbox
                    .processes()
                    .into_iter()
                    .filter(|process| process.host_pid != captured.child.host_pid)
                    .map(|process| process.command_line)
                    .filter(|line| !line.is_empty())
                    .collect(),
            },
        };
        Ok(Ran {
            end,
            effects: sandbox.snapshot()?.diff(&before),
            stdout: captured.stdout,
            stderr: captured.stderr,
            sandbox,
        })
    }
}
