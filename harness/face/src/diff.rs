//! What `stickler diff` does in each dialect: runs both sides of a comparison, shows and stores the results.

pub mod show;

use crate::args::{DiffArgs, SandboxArgs};
use crate::failure::{Done, Failure, chain};
use crate::terminal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use show::Printer;
use std::path::Path;
use std::time::Duration;
use stickler_judge::Exit;
use stickler_oracle::{Error, Room, RunName, Sides, Stored, compare};
use stickler_session::sandbox::{self, Host, HostOptions, Tier};

/// The sandbox, directory and deadline of both sides.
///
/// # Errors
/// If the sandbox is not there, or if the deadline is no time.
pub fn room(args: &DiffArgs, cwd: &Path) -> Result<Room, Failure> {
    Ok(Room {
        host: host(&args.sandbox)?,
        cwd: cwd.to_owned(),
        deadline: Duration::try_from_secs_f64(args.deadline)
            .map_err(|error| Failure::usage(format!("--deadline: {error}")))?,
    })
}

/// Compares all runs of a file, shows and stores the results.
///
/// # Errors
/// If a side cannot run, or if the results cannot be written.
pub fn file<S: Sides>(
    args: &DiffArgs,
    file: &str,
    sides: &S,
    runs: &[RunName],
    recorded: Option<&Stored<S::Seen>>,
) -> Done {
    let mut printer = Printer::new(args.format, args.color.on_stdout(), sides.peer());
    let (tally, stored) = compare(sides, file, runs, recorded, |compared| {
        printer.run(compared)
    })?;
    if let Some(path) = &args.store {
        stored.write(path)?;
    }
    printer.summary(file, &tally)
}

/// The stored runs of a peer, if the arguments name some.
///
/// # Errors
/// If they cannot be read.
pub fn recorded<S: Serialize + DeserializeOwned>(
    args: &DiffArgs,
    peer: &str,
) -> Result<Option<Stored<S>>, Failure> {
    let path = args.recorded.as_deref();
    Ok(path.map(|path| Stored::read(path, peer)).transpose()?)
}

/// Agents change the machine, so they run without a sandbox only on request.
fn host(args: &SandboxArgs) -> Result<Host, Failure> {
    let wanted = match &args.sandbox {
        Some(tier) => tier
            .parse::<Tier>()
            .map_err(|error| Failure::usage(error.to_string()))?,
        None => Tier::Overlay,
    };
    let host = Host::probe(Some(wanted), HostOptions::default()).map_err(|error| Failure {
        exit: Exit::NoSession,
        message: format!(
            "no sandbox \"{wanted}\": {}\n  agents change the machine; `--sandbox none` runs them without a sandbox",
            chain(&error)
        ),
    })?;
    match wanted {
        Tier::Overlay => {}
        Tier::Copy => terminal::note(
            "sandbox \"copy\": agents can write only to their work directories; requests to modules are not compared",
        ),
        Tier::None => terminal::note(
            "no sandbox: both agents change this machine, one after the other; requests to modules are not compared",
        ),
    }
    Ok(host)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure {
            exit: match &error {
                Error::Sandbox(sandbox::Error::Spawn { .. }) | Error::NoSide(_) => Exit::NoSession,
                Error::Stored { .. }
                | Error::File { .. }
                | Error::NotStored(_)
                | Error::Unsupported(_) => Exit::Usage,
                _ => Exit::Harness,
            },
            message: chain(&error),
        }
    }
}
