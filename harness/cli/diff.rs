//! `stickler diff`: runs the same policy in the reference agent and in cf-agent, or applies the same
//! manifest with Stickler's runtime and with Puppet.

mod agents;
mod generate;
mod policy;
mod puppet;
mod show;

use crate::args::{DiffArgs, SandboxArgs};
use crate::failure::{Done, Failure, chain};
use crate::terminal;
use cfengine_diff::{Error, Room};
use std::path::Path;
use std::time::Duration;
use stickler_judge::Exit;
use stickler_session::sandbox::{self, Host, HostOptions, Tier};

pub fn run(args: &DiffArgs) -> Done {
    match &args.file {
        Some(file) if puppet::is_for_puppet(file) => puppet::run(args, file),
        Some(file) => policy::run(args, file),
        None => generate::run(args),
    }
}

/// The environment in which both agents run.
fn room(args: &DiffArgs, cwd: &Path, file: &str) -> Result<Room, Failure> {
    let deadline = Duration::try_from_secs_f64(args.deadline)
        .map_err(|error| Failure::usage(format!("--deadline: {error}")))?;
    let mut options = Vec::new();
    for (name, value) in [
        ("-b", &args.bundlesequence),
        ("-D", &args.define),
        ("-N", &args.negate),
    ] {
        if let Some(value) = value {
            options.extend([name.to_owned(), value.clone()]);
        }
    }
    Ok(Room {
        host: host(&args.sandbox)?,
        cwd: cwd.to_owned(),
        file: file.to_owned(),
        options,
        plants: Vec::new(),
        recorder: std::env::current_exe().map_err(anyhow::Error::from)?,
        deadline,
    })
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

/// Converts an error that prevented a comparison.
fn failure(error: &Error) -> Failure {
    let exit = match error {
        Error::Sandbox(sandbox::Error::Spawn { .. }) => Exit::NoSession,
        Error::Stored { .. } | Error::File { .. } => Exit::Usage,
        _ => Exit::Harness,
    };
    Failure {
        exit,
        message: chain(error),
    }
}
