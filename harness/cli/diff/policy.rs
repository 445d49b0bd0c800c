//! One policy, in each mode.

use super::{agents, both};
use crate::args::DiffArgs;
use crate::failure::{Done, Failure};
use cfengine_diff::{Agents, Mode, Room, Seen};
use std::path::Path;
use stickler_oracle::{RunName, Stored};

pub fn run(args: &DiffArgs, file: &str) -> Done {
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
    let recorded = both::recorded::<Seen>(args, Agents::PEER)?;
    let theirs = match &recorded {
        Some(_) => None,
        None => Some(agents::real(args.cf_agent.as_deref())?),
    };
    let room = room(args, &cwd, &file)?;
    let runs = runs(args, recorded.as_ref());
    let agents = Agents::new(room, agents::reference(args.cf_agent.as_deref())?, theirs);
    both::file(args, &file, &agents, &runs, recorded.as_ref())
}

/// The conditions under which both agents run a policy.
pub fn room(args: &DiffArgs, cwd: &Path, file: &str) -> Result<Room, Failure> {
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
        room: both::room(args, cwd)?,
        file: file.to_owned(),
        options,
        plants: Vec::new(),
        recorder: std::env::current_exe().map_err(anyhow::Error::from)?,
    })
}

/// The given modes; or all, or the stored ones.
fn runs(args: &DiffArgs, recorded: Option<&Stored<Seen>>) -> Vec<RunName> {
    let has = |mode: &Mode| recorded.is_none_or(|stored| stored.runs.contains_key(mode.name()));
    let modes = match &args.modes[..] {
        [] => Mode::ALL.into_iter().filter(has).collect(),
        given => given.to_vec(),
    };
    let names = modes.iter().map(|mode| RunName::of_mode(mode.name()));
    names.collect()
}
