//! One policy, in each mode.

use super::agents;
use super::show::Printer;
use crate::args::DiffArgs;
use crate::failure::{Done, Failure};
use cfengine_diff::{
    Agent, Aspect, Difference, Mode, Module, Place, Room, Seen, Stored, compare, normal,
    output_place, request_place,
};
use std::path::Path;
use stickler_judge::Exit;

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
    let source = source(args)?;
    let modes = if args.modes.is_empty() {
        source.modes()
    } else {
        args.modes.clone()
    };
    let pair = Pair {
        room: super::room(args, &cwd, &file)?,
        ours: agents::reference()?,
    };
    let mut printer = Printer::new(args.format, args.color.on_stdout());
    let mut stored = Stored::new(&file, &pair.room.options);
    let modules = pair.modules(&source)?;
    let mut differ = 0;
    for mode in &modes {
        let ours = pair.reference(*mode, modules.as_deref())?;
        let theirs = pair.theirs(&source, *mode, modules.as_deref())?;
        let found = compare(&theirs, &ours);
        differ += usize::from(!found.is_empty());
        for difference in &found {
            let place = pair.place(*mode, difference)?;
            printer.difference(*mode, difference, place.as_ref())?;
        }
        printer.mode(*mode, &theirs, found.len())?;
        stored.modes.insert(mode.name().into(), theirs);
    }
    if let Some(path) = &args.store {
        stored.write(path).map_err(|error| super::failure(&error))?;
    }
    printer.summary(&file, modes.len(), differ)?;
    Ok(if differ > 0 {
        Exit::Findings
    } else {
        Exit::Success
    })
}

/// The source of the real agent's results.
enum Source {
    Installed(Agent),
    Recorded(Stored),
}

impl Source {
    /// All modes, or the recorded ones.
    fn modes(&self) -> Vec<Mode> {
        let has = |mode: &Mode| match self {
            Self::Installed(_) => true,
            Self::Recorded(stored) => stored.get(*mode).is_some(),
        };
        Mode::ALL.into_iter().filter(has).collect()
    }
}

fn source(args: &DiffArgs) -> Result<Source, Failure> {
    Ok(match &args.recorded {
        Some(path) => Source::Recorded(Stored::read(path).map_err(|error| super::failure(&error))?),
        None => Source::Installed(agents::real(args.cf_agent.as_deref())?),
    })
}

struct Pair {
    room: Room,
    ours: Agent,
}

impl Pair {
    /// The modules that either agent starts; `None` if they cannot be recorded.
    fn modules(&self, source: &Source) -> Result<Option<Vec<Module>>, Failure> {
        if !self.room.records() {
            return Ok(None);
        }
        let failed = |error| super::failure(&error);
        let mut modules = self.room.modules(&self.ours).map_err(failed)?;
        if let Source::Installed(agent) = source {
            modules.extend(self.room.modules(agent).map_err(failed)?);
            modules.sort();
            modules.dedup();
        }
        Ok(Some(modules))
    }

    fn seen(&self, agent: &Agent, mode: Mode, modules: Option<&[Module]>) -> Result<Seen, Failure> {
        let raw = self.room.run(agent, mode, modules, &[]);
        Ok(normal::seen(
            &raw.map_err(|error| super::failure(&error))?,
            self.room.paths(),
        ))
    }

    fn reference(&self, mode: Mode, modules: Option<&[Module]>) -> Result<Seen, Failure> {
        let seen = self.seen(&self.ours, mode, modules)?;
        if seen.refused {
            // The advice is only for users who run the agent itself.
            let places = seen
                .errors
                .iter()
                .filter(|line| line.trim() != normal::REFUSED);
            let places: Vec<&str> = places.map(String::as_str).collect();
            return Err(Failure::usage(format!(
                "the reference agent does not support parts of this policy\n{}\n  nothing was compared",
                places.join("\n")
            )));
        }
        Ok(seen)
    }

    fn theirs(
        &self,
        source: &Source,
        mode: Mode,
        modules: Option<&[Module]>,
    ) -> Result<Seen, Failure> {
        match source {
            Source::Installed(agent) => self.seen(agent, mode, modules),
            Source::Recorded(stored) if stored.options != self.room.options => {
                Err(Failure::usage(format!(
                    "the stored results were made with the options \"{}\"; give the same options",
                    stored.options.join(" ")
                )))
            }
            Source::Recorded(stored) => stored.get(mode).cloned().ok_or_else(|| {
                let modes: Vec<&str> = stored.modes.keys().map(String::as_str).collect();
                Failure::usage(format!(
                    "mode {mode} is not stored; the file has {}",
                    modes.join(", ")
                ))
            }),
        }
    }

    /// The promise at which the agents differ.
    fn place(&self, mode: Mode, difference: &Difference) -> Result<Option<Place>, Failure> {
        match difference.aspect {
            Aspect::Requests => {
                let (theirs, ours) = &difference.messages;
                Ok(request_place(theirs).or_else(|| request_place(ours)))
            }
            Aspect::Output => {
                let raw = self.room.run(&self.ours, mode, None, &["--format", "json"]);
                let raw = raw.map_err(|error| super::failure(&error))?;
                let events = String::from_utf8_lossy(&raw.stdout);
                Ok(output_place(&events, difference.first.1))
            }
            _ => Ok(None),
        }
    }
}
