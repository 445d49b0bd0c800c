//! The table of situations, with the engine that plays them.

use crate::SITUATIONS;
use crate::conversation::session;
use crate::line::Line;
use crate::merge::merged;
use crate::play::{Agent, Player, read};
use crate::reference::Reference;
use anyhow::Context;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use mgmt_engine::Seen;
use mgmt_engine::compare::compare;
use mgmt_engine::recorded::Case;
use serde_json::Value;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use stickler_conform::{Difference, Own, Played, Stored, Table, Weight, lines};
use stickler_session::sandbox::Host;

/// The only release that was measured: of others, nothing is recorded.
const RECORDED: &str = "the recorded engine";

/// How many situations one run of the program plays.
const BATCH: usize = 64;

/// The cases of a recording.
pub(crate) fn cases(bytes: &[u8]) -> anyhow::Result<Vec<Line>> {
    let mut text = String::new();
    GzDecoder::new(bytes).read_to_string(&mut text)?;
    lines("cases.jsonl.gz", &text)
}

/// Situations, and an engine that plays them.
#[derive(Debug)]
pub struct Situations {
    agent: Box<dyn Player>,
    lines: Vec<Line>,
}

impl Situations {
    fn recorded(&self, at: usize) -> anyhow::Result<Option<Case>> {
        let members = &self.lines[at].members;
        if members["observed"].is_null() {
            return Ok(None);
        }
        let case = serde_json::from_value(members.clone());
        Ok(Some(case.with_context(|| self.lines[at].name.clone())?))
    }

    /// What is needed to play a situation again.
    fn stored(&self, at: usize) -> Stored {
        Stored {
            agent: self.agent.words(),
            situation: self.line(at),
            release: None,
        }
    }
}

impl stickler_conform::Situations for Situations {
    type Line = Line;
    type Agent = Box<dyn Player>;

    fn start(
        command: &[OsString],
        host: &Host,
        _: &Arc<AtomicBool>,
    ) -> anyhow::Result<Box<dyn Player>> {
        Ok(match Own::of(command, "graph", None)? {
            Some(_) => Box::new(Reference),
            None => Box::new(Agent::new(command, host)?),
        })
    }

    fn stored() -> anyhow::Result<Vec<Line>> {
        cases(SITUATIONS)
    }

    fn of(agent: Box<dyn Player>, lines: Vec<Line>) -> anyhow::Result<Self> {
        Ok(Self { agent, lines })
    }
}

impl Table for Situations {
    fn agent(&self) -> String {
        self.agent.name()
    }

    fn version(&self) -> &str {
        self.agent.version()
    }

    fn len(&self) -> usize {
        self.lines.len()
    }

    fn name(&self, at: usize) -> &str {
        &self.lines[at].name
    }

    fn about(&self, at: usize) -> Option<&str> {
        self.lines[at].about.as_deref()
    }

    fn releases(&self) -> Vec<String> {
        vec![RECORDED.to_owned()]
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn tries(&self) -> usize {
        self.agent.tries()
    }

    fn play(&self, batch: &[usize]) -> anyhow::Result<Vec<Result<Played, String>>> {
        let lines: Vec<&Line> = batch.iter().map(|at| &self.lines[*at]).collect();
        let run = self.agent.play(&lines)?;
        let played = batch.iter().zip(run.told).map(|(at, told)| {
            let first = run.errors.lines().next().unwrap_or("no error");
            let told = told
                .ok_or_else(|| format!("the program told nothing of it: {}, {first}", run.end))?;
            let seen = read(&told).map_err(|error| format!("{error:#}"))?;
            let session = session(&self.lines[*at].name, self.stored(*at), &seen);
            Ok(Played {
                seen: told,
                sessions: vec![session],
                printed: run.errors.clone(),
                left: run.left.clone(),
                took: Duration::ZERO,
            })
        });
        Ok(played.collect())
    }

    fn differences(
        &self,
        at: usize,
        seen: &Value,
        _release: &str,
    ) -> anyhow::Result<Option<Vec<Difference>>> {
        let Some(case) = self.recorded(at)? else {
            return Ok(None);
        };
        let found = compare(&case, &read(seen)?).into_iter();
        let found = found.map(|one| Difference {
            weight: Weight::Outcome,
            what: one.at.to_string(),
            expected: one.recorded,
            got: one.seen,
        });
        Ok(Some(found.collect()))
    }

    fn line(&self, at: usize) -> Value {
        let mut line = self.lines[at].members.clone();
        if let Some(members) = line.as_object_mut() {
            members.remove("observed");
        }
        line
    }

    fn note(&mut self, at: usize, runs: &[&Value], _version: &str) -> anyhow::Result<bool> {
        let runs: Vec<Seen> = runs.iter().map(|run| read(run)).collect::<Result<_, _>>()?;
        if let Some(case) = self.recorded(at)?
            && runs.iter().any(|run| compare(&case, run).is_empty())
        {
            return Ok(false);
        }
        let timing = self.lines[at].members["input"]["timing"] == true;
        let members = &mut self.lines[at].members;
        members["observed"] = merged(&runs, &members["observed"], timing);
        Ok(true)
    }

    fn files(&self) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
        let mut file = GzEncoder::new(Vec::new(), Compression::best());
        for line in &self.lines {
            writeln!(file, "{}", line.members)?;
        }
        Ok(vec![("cases.jsonl.gz".to_owned(), file.finish()?)])
    }
}
