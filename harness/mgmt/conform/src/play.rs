//! Plays cases with the program.

use crate::build::build;
use crate::line::Line;
use anyhow::{Context, bail};
use mgmt_engine::{Lane, Seen, SeenItem, SeenVertex};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Debug;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stickler_oracle::{Job, Room};
use stickler_session::sandbox::Host;

/// What the program tells of a case.
#[derive(Deserialize)]
struct Told {
    phases: Vec<Map<String, Value>>,
    vertices: BTreeMap<String, ToldVertex>,
    peak: usize,
}

#[derive(Deserialize)]
struct ToldVertex {
    lanes: BTreeMap<String, Option<Vec<ToldItem>>>,
    end: String,
    revalidations: u64,
}

#[derive(Deserialize)]
struct ToldItem {
    fields: Map<String, Value>,
    begin: u64,
    end: u64,
    t_ms: u64,
}

/// The lanes by the names that recordings give them.
pub(crate) const LANES: [(&str, Lane); 4] = [
    ("life", Lane::Life),
    ("watch", Lane::Watch),
    ("recv", Lane::Recv),
    ("run", Lane::Run),
];

/// How many situations run at one time: they mostly wait.
const AT_ONCE: usize = 6;

/// How often a situation is played again that differs: some of what the engine does is chance.
const AGAIN: usize = 20;

/// How long the program may take, and how much longer for each situation.
const START: Duration = Duration::from_secs(60);
const EACH: Duration = Duration::from_secs(20);

/// An engine that plays situations.
pub trait Player: Debug + Send + Sync {
    /// As reports name it.
    fn name(&self) -> String;

    /// Its version.
    fn version(&self) -> &str;

    /// Its command line, for people and for reproducers.
    fn words(&self) -> Vec<String>;

    /// How often a situation is played again that differs.
    fn tries(&self) -> usize;

    /// Plays situations.
    ///
    /// # Errors
    ///
    /// If it can't be run.
    fn play(&self, lines: &[&Line]) -> anyhow::Result<Run>;
}

/// The engine of a checkout.
#[derive(Debug)]
pub struct Agent {
    program: PathBuf,
    host: Host,
    checkout: String,
    /// The commit of the checkout.
    pub version: String,
    /// Holds the program.
    _folder: tempfile::TempDir,
}

impl Agent {
    /// The engine of the checkout in a folder.
    ///
    /// # Errors
    ///
    /// If the folder is no checkout, or the program does not compile in it.
    pub fn new(command: &[OsString], host: &Host) -> anyhow::Result<Self> {
        let [checkout] = command else {
            bail!("name the folder of one checkout of mgmt after `--`");
        };
        let folder = tempfile::tempdir()?;
        let (program, version) = build(Path::new(checkout), folder.path())?;
        Ok(Self {
            program,
            host: host.clone(),
            checkout: std::path::absolute(checkout)?
                .to_string_lossy()
                .into_owned(),
            version,
            _folder: folder,
        })
    }
}

impl Player for Agent {
    fn name(&self) -> String {
        format!("mgmt {}", self.version)
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn words(&self) -> Vec<String> {
        vec![self.checkout.clone()]
    }

    fn tries(&self) -> usize {
        AGAIN
    }

    fn play(&self, lines: &[&Line]) -> anyhow::Result<Run> {
        let mut input = String::new();
        for line in lines {
            let line = json!({ "name": line.name, "input": line.members["input"] });
            input.push_str(&line.to_string());
            input.push('\n');
        }
        let job = Job {
            argv: vec![self.program.clone().into(), AT_ONCE.to_string().into()],
            input: input.into_bytes(),
            ..Job::default()
        };
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let room = Room {
            host: self.host.clone(),
            cwd: PathBuf::from("/"),
            deadline: START + EACH * count,
        };
        let ran = room.run(job, |_| Ok(()))?;
        let mut told = BTreeMap::new();
        for line in String::from_utf8_lossy(&ran.stdout).lines() {
            // A program that was killed leaves a part of a line.
            if let Ok(value) = serde_json::from_str::<Value>(line)
                && let Some(name) = value["name"].as_str()
            {
                told.insert(name.to_owned(), value);
            }
        }
        let own = self.host.scratch().as_os_str().as_bytes();
        let outside = ran.effects.iter().filter(|one| !one.path.starts_with(own));
        Ok(Run {
            told: lines
                .iter()
                .map(|line| told.get(&line.name).cloned())
                .collect(),
            end: ran.end.to_string(),
            errors: String::from_utf8_lossy(&ran.stderr).into_owned(),
            left: outside
                .map(|one| format!("changed a file: {one}"))
                .collect(),
        })
    }
}

/// What came of situations.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What is told of each, in their order.
    pub told: Vec<Option<Value>>,
    /// How the program ended.
    pub end: String,
    /// Its standard error.
    pub errors: String,
    /// What it left.
    pub left: Vec<String>,
}

/// What the program told of a case, as the engine's own record.
pub(crate) fn read(told: &Value) -> anyhow::Result<Seen> {
    let told: Told = serde_json::from_value(told.clone()).context("the program's output")?;
    Ok(seen(told))
}

fn seen(told: Told) -> Seen {
    let vertices = told.vertices.into_iter().map(|(label, mut vertex)| {
        let mut lanes = BTreeMap::new();
        for (name, lane) in LANES {
            let items = vertex.lanes.remove(name).flatten().unwrap_or_default();
            let items: Vec<SeenItem> = items.into_iter().map(item).collect();
            if !items.is_empty() {
                lanes.insert(lane, items);
            }
        }
        let seen = SeenVertex {
            lanes,
            end: vertex.end,
            revalidations: vertex.revalidations,
        };
        (label, seen)
    });
    Seen {
        phases: told.phases,
        vertices: vertices.collect(),
        peak: told.peak,
    }
}

fn item(told: ToldItem) -> SeenItem {
    SeenItem {
        fields: told.fields,
        begin: told.begin,
        end: told.end,
        t_ms: told.t_ms,
    }
}
