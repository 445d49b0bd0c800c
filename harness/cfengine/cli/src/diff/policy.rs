//! One policy, in each mode.

use super::agents;
use crate::args::DiffOptions;
use cfengine_diff::{Agents, Mode, Room, Seen};
use std::path::Path;
use stickler_face::args::DiffArgs;
use stickler_face::{Done, Failure, diff};
use stickler_oracle::{RunName, Stored};

/// Runs the policy with both agents.
///
/// # Errors
/// If there is none, or if an agent is missing.
pub fn run(args: &DiffArgs, own: &DiffOptions, file: &str) -> Done {
    let anchored = ["/", "./", "../"]
        .iter()
        .any(|start| file.starts_with(start));
    let file = if anchored {
        file.to_owned()
    } else {
        format!("./{file}")
    };
    let path = Path::new(&file);
    if !path.is_file() {
        let what = if path.exists() {
            "not a file"
        } else {
            "no such file"
        };
        return Err(Failure::usage(format!("{file}: {what}")));
    }
    let cwd = std::env::current_dir().map_err(anyhow::Error::from)?;
    let recorded = diff::recorded::<Seen>(args, Agents::PEER)?;
    let theirs = match &recorded {
        Some(_) => None,
        None => Some(agents::real(own.cf_agent.as_deref())?),
    };
    let room = room(args, own, &cwd, &file)?;
    let runs = runs(own, recorded.as_ref());
    let agents = Agents::new(room, agents::reference(own.cf_agent.as_deref())?, theirs);
    diff::file(args, &file, &agents, &runs, recorded.as_ref())
}

/// The conditions under which both agents run a policy.
pub fn room(args: &DiffArgs, own: &DiffOptions, cwd: &Path, file: &str) -> Result<Room, Failure> {
    let mut options = Vec::new();
    for (name, value) in [
        ("-b", &own.bundlesequence),
        ("-D", &own.define),
        ("-N", &own.negate),
    ] {
        if let Some(value) = value {
            options.extend([name.to_owned(), value.clone()]);
        }
    }
    Ok(Room {
        room: diff::room(args, cwd)?,
        file: file.to_owned(),
        options,
        plants: Vec::new(),
        recorder: std::env::current_exe().map_err(anyhow::Error::from)?,
    })
}

/// The given modes; or all, or the stored ones.
fn runs(own: &DiffOptions, recorded: Option<&Stored<Seen>>) -> Vec<RunName> {
    let has = |mode: &Mode| recorded.is_none_or(|stored| stored.runs.contains_key(mode.name()));
    let modes = match &own.modes[..] {
        [] => Mode::ALL.into_iter().filter(has).collect(),
        given => given.to_vec(),
    };
    let names = modes.iter().map(|mode| RunName::of_mode(mode.name()));
    names.collect()
}
