//! The table of situations, with the Puppet that plays them.

use crate::agent::Agent;
use crate::apart::apart;
use crate::conversation::session;
use crate::messages::Messages;
use crate::seen::Seen;
use crate::situation::{Line, lines};
use crate::{MESSAGES, SITUATIONS};
use anyhow::Context;
use serde_json::Value;
use std::time::Duration;
use stickler_conform::rows::{note, order, row_of};
use stickler_conform::{Difference, Played, Table};

/// How many situations one process of Puppet plays: it takes long to start.
const BATCH: usize = 64;

/// Situations, and a Puppet that plays them.
#[derive(Debug)]
pub struct Situations {
    agent: Agent,
    lines: Vec<Line>,
    messages: Messages,
    releases: Vec<String>,
}

impl Situations {
    /// The situations that are part of the program.
    ///
    /// # Errors
    ///
    /// If they can't be read.
    pub fn own(agent: Agent) -> anyhow::Result<Self> {
        Self::of(agent, lines("situations.jsonl", SITUATIONS)?)
    }

    /// These situations.
    ///
    /// # Errors
    ///
    /// If the names of messages can't be read.
    pub fn of(agent: Agent, lines: Vec<Line>) -> anyhow::Result<Self> {
        let wants = lines.iter().flat_map(|line| &line.situation.want);
        let mut releases: Vec<String> = wants.map(|want| want.since.clone()).collect();
        releases.sort_by_key(|version| order(version));
        releases.dedup();
        Ok(Self {
            agent,
            lines,
            messages: Messages::read_names(MESSAGES)?,
            releases,
        })
    }

    /// Adds situations.
    pub fn extend(&mut self, more: Vec<Line>) {
        self.lines.extend(more);
    }

    fn seen(seen: &Value) -> anyhow::Result<Seen> {
        serde_json::from_value(seen.clone()).context("what was seen has another form")
    }
}

impl Table for Situations {
    fn agent(&self) -> String {
        format!("puppet {}", self.agent.version)
    }

    fn version(&self) -> &str {
        &self.agent.version
    }

    fn len(&self) -> usize {
        self.lines.len()
    }

    fn name(&self, at: usize) -> &str {
        &self.lines[at].situation.name
    }

    fn about(&self, at: usize) -> Option<&str> {
        Some(&self.lines[at].situation.about)
    }

    fn releases(&self) -> Vec<String> {
        self.releases.clone()
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn play(&self, batch: &[usize]) -> anyhow::Result<Vec<Result<Played, String>>> {
        let lines: Vec<&Line> = batch.iter().map(|at| &self.lines[*at]).collect();
        let (runs, left) = self.agent.run(&lines, &self.messages)?;
        let mut all = Vec::new();
        for (line, run) in lines.iter().zip(runs) {
            all.push(match run {
                Err(why) => Err(why),
                Ok(run) => Ok(Played {
                    seen: serde_json::to_value(&run.seen)?,
                    sessions: vec![session(line, &run, self.agent.words())],
                    printed: run.printed,
                    left: Vec::new(),
                    took: Duration::ZERO,
                }),
            });
        }
        // Whose it is shows only if one is played alone.
        if let [Ok(only)] = &mut all[..] {
            only.left = left;
        }
        Ok(all)
    }

    fn differences(
        &self,
        at: usize,
        seen: &Value,
        release: &str,
    ) -> anyhow::Result<Option<Vec<Difference>>> {
        let recorded = row_of(&self.lines[at].situation.want, release);
        let Some(expected) = recorded else {
            return Ok(None);
        };
        let got = Self::seen(seen)?;
        let mut all = Vec::new();
        let mut compare = |what: &str, expected: Value, got: Value| {
            if expected != got {
                let (expected, got) = apart(&expected, &got);
                all.push(Difference {
                    what: what.to_owned(),
                    expected,
                    got,
                });
            }
        };
        compare("exit", expected.exit.clone(), got.exit);
        compare("calls", expected.calls.clone().into(), got.calls.into());
        compare(
            "resources",
            expected.resources.clone().into(),
            got.resources.into(),
        );
        compare(
            "messages",
            serde_json::to_value(&expected.says)?,
            serde_json::to_value(&got.says)?,
        );
        compare("output", expected.prints.clone().into(), got.prints.into());
        Ok(Some(all))
    }

    fn line(&self, at: usize) -> Value {
        self.lines[at].bare()
    }

    fn note(&mut self, at: usize, runs: &[&Value], version: &str) -> anyhow::Result<bool> {
        let Some(last) = runs.last() else {
            return Ok(false);
        };
        let observed = Self::seen(last)?;
        let known: Vec<&str> = self.releases.iter().map(String::as_str).collect();
        let alike = |one: &Seen, other: &Seen| {
            let other = Seen {
                since: one.since.clone(),
                ..other.clone()
            };
            *one == other
        };
        let wants = &mut self.lines[at].situation.want;
        Ok(note(wants, observed, version, &known, alike))
    }

    fn files(&self) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
        let text: Result<Vec<String>, _> = self.lines.iter().map(Line::text).collect();
        let text = text?.join("\n") + "\n";
        Ok(vec![("situations.jsonl".to_owned(), text.into_bytes())])
    }
}
