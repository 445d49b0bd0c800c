//! Stickler's runtime and the real Puppet, on the same manifest or catalog.

use crate::compare::compare;
use crate::run::Run;
use puppet_runtime::Strict;
use std::ffi::OsString;
use std::path::PathBuf;
use stickler_oracle::{AcceptedDifference, Comparison, End, Error, Job, Ran, Room, RunName, Sides};
use stickler_session::sandbox::{self, ExitStatus, PlantedFile};

/// A Ruby program that applies manifests with the real Puppet. Its arguments are the folders of
/// libraries, joined by colons, and a folder for Puppet's own files. Each line of its standard input
/// is a request, each line of its output a [`crate::Seen`].
pub const PEER: &str = include_str!("peer.rb");

/// The name of that program in the scratch space.
const PROGRAM: &str = "peer.rb";

/// The two sides.
#[derive(Clone, Debug)]
pub struct Appliers {
    /// Sandbox, directory and deadline.
    pub room: Room,
    /// The environment of providers.
    pub env: Vec<(OsString, OsString)>,
    /// `stickler apply` with the options of the module.
    pub stickler: Vec<OsString>,
    /// The manifest or the catalog.
    pub file: PathBuf,
    /// The folders of libraries.
    pub libraries: Vec<PathBuf>,
    /// Puppet's setting `strict`.
    pub strict: Strict,
    /// Does nothing change?
    pub noop: bool,
}

impl Appliers {
    /// The name of the peer.
    pub const PEER: &str = "puppet";

    /// The only run.
    pub fn run_name(&self) -> RunName {
        RunName::of_mode(if self.noop { "noop" } else { "apply" })
    }

    fn options_of_apply(&self) -> Vec<OsString> {
        self.options().into_iter().map(OsString::from).collect()
    }

    /// Runs a program to its end.
    fn run(
        &self,
        argv: Vec<OsString>,
        plant: Vec<PlantedFile>,
        input: Vec<u8>,
    ) -> Result<Ran, Error> {
        let mut env = vec![("LANG".into(), "C.UTF-8".into())];
        env.extend(self.env.iter().cloned());
        let job = Job {
            argv,
            env,
            plant,
            input,
        };
        let ran = self.room.run(job, |_| Ok(()))?;
        if let End::Hung { .. } = &ran.end {
            let text = format!("{}; --deadline allows more", ran.end);
            return Err(Error::Incomplete(text));
        }
        Ok(ran)
    }

    /// The changes outside the scratch space.
    fn effects(&self, ran: &Ran) -> Vec<String> {
        let own = self.room.host.scratch().to_string_lossy().into_owned();
        let effects = ran.effects.iter();
        effects
            .filter(|change| !change.path.lossy().starts_with(&own))
            .map(ToString::to_string)
            .collect()
    }
}

impl Sides for Appliers {
    type Seen = Run;

    fn peer(&self) -> &'static str {
        Self::PEER
    }

    fn known(&self) -> &'static [AcceptedDifference] {
        &[]
    }

    fn options(&self) -> Vec<String> {
        let mut options = vec!["--puppet-strict".to_owned(), self.strict.name().to_owned()];
        if self.noop {
            options.push("--noop".to_owned());
        }
        options
    }

    /// Salts and random passwords vary.
    fn varies(&self) -> bool {
        true
    }

    fn ours(&self, _: &RunName) -> Result<Run, Error> {
        let mut argv = self.stickler.clone();
        argv.push(self.file.clone().into());
        argv.extend(["--format", "json"].map(OsString::from));
        argv.extend(self.options_of_apply());
        let ran = self.run(argv, Vec::new(), Vec::new())?;
        let complete = matches!(ran.end, End::Exit(ExitStatus::Code(0 | 1)));
        let told = String::from_utf8_lossy(&ran.stdout);
        if let Some(run) = Run::read(&told, self.effects(&ran)).filter(|_| complete) {
            return Ok(run);
        }
        let message = String::from_utf8_lossy(&ran.stderr);
        let message = message.trim().trim_start_matches("error: ").to_owned();
        Err(match ran.end {
            End::Exit(ExitStatus::Code(2)) => Error::Unsupported(message),
            End::Exit(ExitStatus::Code(3)) => Error::NoSide(message),
            _ => Error::Incomplete(message),
        })
    }

    fn theirs(&self, _: &RunName) -> Result<Run, Error> {
        let scratch = self.room.host.scratch();
        let program = scratch.join(PROGRAM);
        let libraries = std::env::join_paths(&self.libraries)
            .map_err(|error| Error::Unsupported(error.to_string()))?;
        let argv = vec![
            "ruby".into(),
            program.clone().into(),
            libraries,
            scratch.join("puppet").into(),
        ];
        let text = std::fs::read_to_string(&self.file).map_err(|source| Error::File {
            path: self.file.clone(),
            source,
        })?;
        let is_catalog = self.file.extension().is_some_and(|end| end == "json");
        let what = if is_catalog { "catalog" } else { "manifest" };
        let request = serde_json::json!({
            what: text,
            "strict": self.strict.name(),
            "noop": self.noop,
        });
        let plant = PlantedFile {
            path: program,
            bytes: PEER.as_bytes().to_vec(),
            mode: 0o644,
        };
        let missing = |why: &str| {
            Error::NoSide(format!(
                "Puppet with its Resource API does not run here: install Debian's packages \
                 `puppet-agent` and `ruby-puppet-resource-api`, or compare with stored results: \
                 `--recorded FILE`\n{why}"
            ))
        };
        let ran = self.run(argv, vec![plant], format!("{request}\n").into_bytes());
        let ran = ran.map_err(|error| match error {
            Error::Sandbox(sandbox::Error::Spawn { .. }) => missing(&error.to_string()),
            other => other,
        })?;
        match serde_json::from_slice(&ran.stdout) {
            Ok(seen) => Ok(Run {
                seen,
                effects: self.effects(&ran),
            }),
            Err(_) => Err(missing(String::from_utf8_lossy(&ran.stderr).trim())),
        }
    }

    fn compare(&self, theirs: &Run, ours: &Run) -> Comparison {
        compare(theirs, ours)
    }
}
