//! The record that the reference agent keeps of its modules: one transcript for each start of a
//! module. A recorder in its own process relays the messages; this module adds the agent's
//! conclusions.

use crate::record;
use cfengine_agent::{Conclusion, Mode, Options, Witness};
use cfengine_protocol::phase;
use cfengine_suite::outcome;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use stickler_face::{Failure, terminal};
use stickler_session::record::{LIMIT, Tape};
use stickler_transcript::{self as transcript, AgentRun, Case, Driver, Event};

/// The record of a run.
#[derive(Debug)]
pub struct Recording {
    folder: PathBuf,
    /// The path of this program, which starts again as the recorder.
    stickler: String,
    run: AgentRun,
    deadlines: transcript::Deadlines,
    /// The latest transcript of each module.
    tapes: Mutex<HashMap<String, Tape>>,
}

impl Recording {
    /// Begins the record of a run in a folder.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn begin(folder: &Path, options: &Options) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
        let folder = std::path::absolute(folder).map_err(anyhow::Error::from)?;
        let stickler = std::env::current_exe().map_err(anyhow::Error::from)?;
        for path in [&folder, &stickler] {
            if path.to_str().is_none() {
                let message = format!("{}: --record needs a UTF-8 path", path.display());
                return Err(Failure::usage(message));
            }
        }
        Ok(Self {
            folder,
            stickler: stickler.to_string_lossy().into_owned(),
            run: AgentRun {
                name: concat!("stickler ", env!("CARGO_PKG_VERSION")).into(),
                compat: options.compat.name().into(),
                mode: match options.mode {
                    Mode::Normal => transcript::Mode::Normal,
                    Mode::DryRun => transcript::Mode::DryRun,
                    Mode::Simulate(_) => transcript::Mode::Simulate,
                },
            },
            deadlines: deadlines(options),
            tapes: Mutex::default(),
        })
    }

    fn tapes(&self) -> std::sync::MutexGuard<'_, HashMap<String, Tape>> {
        self.tapes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Witness for Recording {
    fn starts(&self, module: &str, command: &[&str], directory: Option<&str>) -> Vec<String> {
        let here = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let cwd = directory.map_or_else(here, PathBuf::from);
        let case = Case {
            driver: Driver::Agent,
            agent: Some(self.run.clone()),
            deadlines: self.deadlines.clone(),
            ..record::case(command, &cwd)
        };
        let name = Path::new(module)
            .file_stem()
            .unwrap_or(OsStr::new("module"));
        let name = format!("{}-{{n}}.jsonl", name.to_string_lossy());
        match Tape::begin_in(&self.folder.join(name), &case, LIMIT) {
            Ok((path, tape)) => {
                let words = [
                    &*self.stickler,
                    "record",
                    "--begun",
                    &tape.began().to_string(),
                    "--out",
                    &path.to_string_lossy(),
                    "--",
                ];
                let words = words.map(str::to_owned).into();
                self.tapes().insert(module.to_owned(), tape);
                words
            }
            Err((path, error)) => {
                terminal::error(&format!("{}: not recorded: {error}", path.display()));
                self.tapes().remove(module);
                Vec::new()
            }
        }
    }

    fn concludes(&self, module: &str, conclusion: Conclusion) {
        // A module that could not be started has no transcript.
        if let Some(tape) = self.tapes().get_mut(module) {
            let event = Event::Outcome(Box::new(outcome(tape.now(), conclusion)));
            tape.note(&event);
        }
    }
}

fn deadlines(options: &Options) -> transcript::Deadlines {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let allowed = &options.deadlines;
    [
        (phase::HEADER, micros(allowed.header)),
        (phase::VALIDATE, micros(allowed.validate)),
        (phase::EVALUATE, micros(allowed.evaluate)),
        (phase::TERMINATE, micros(allowed.terminate)),
    ]
    .into()
}
