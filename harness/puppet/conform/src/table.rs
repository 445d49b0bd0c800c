//! The table of situations, with the Puppet that plays them.

use crate::agent::{Agent, Player};
use crate::conversation::session;
use crate::messages::Messages;
use crate::reference::Reference;
use crate::seen::Seen;
use crate::situation::{Line, releases};
use crate::{MESSAGES, SITUATIONS};
use anyhow::Context;
use serde_json::Value;
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use stickler_conform::rows::{note, row_of};
use stickler_conform::{Difference, Own, Played, Table, Weight, apart, lines};
use stickler_session::sandbox::Host;

/// Situations, and a Puppet that plays them.
#[derive(Debug)]
pub struct Situations {
    agent: Box<dyn Player>,
    lines: Vec<Line>,
    messages: Messages,
    releases: Vec<String>,
}

impl Situations {
    fn seen(seen: &Value) -> anyhow::Result<Seen> {
        serde_json::from_value(seen.clone()).context("what was seen has another form")
    }
}

impl stickler_conform::Situations for Situations {
    type Line = Line;
    type Agent = Box<dyn Player>;

    fn refuses(command: &[OsString], host: &Host) -> Option<String> {
        if !matches!(Own::of(command, "apply", Some("--runtime")), Ok(None)) {
            return None;
        }
        let option = Agent::idle_option(command).map(|option| {
            format!(
                "{}: options of the agent have no effect, since each situation has its own; leave it out, or add a \
                 situation with `options` or `strict`",
                option.display()
            )
        });
        option.or_else(|| Agent::unplayable(host))
    }

    fn start(
        command: &[OsString],
        host: &Host,
        _: &Arc<AtomicBool>,
    ) -> anyhow::Result<Box<dyn Player>> {
        Ok(match Own::of(command, "apply", Some("--runtime"))? {
            Some(own) => Box::new(Reference::new(own, &releases(&Self::stored()?), host)?),
            None => Box::new(Agent::new(command, host)?),
        })
    }

    fn stored() -> anyhow::Result<Vec<Line>> {
        lines("situations.jsonl", SITUATIONS)
    }

    fn of(agent: Box<dyn Player>, lines: Vec<Line>) -> anyhow::Result<Self> {
        Ok(Self {
            agent,
            releases: releases(&lines),
            lines,
            messages: Messages::read_names(MESSAGES)?,
        })
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
        &self.lines[at].situation.name
    }

    fn about(&self, at: usize) -> Option<&str> {
        Some(&self.lines[at].situation.about)
    }

    fn releases(&self) -> Vec<String> {
        self.releases.clone()
    }

    fn batch(&self) -> usize {
        self.agent.batch()
    }

    fn play(&self, batch: &[usize]) -> anyhow::Result<Vec<Result<Played, String>>> {
        let lines: Vec<&Line> = batch.iter().map(|at| &self.lines[*at]).collect();
        let (runs, left) = self.agent.play(&lines, &self.messages)?;
        let mut all = Vec::new();
        for (line, run) in lines.iter().zip(runs) {
            all.push(match run {
                Err(why) => Err(why),
                Ok(run) => Ok(Played {
                    seen: serde_json::to_value(&run.seen)?,
                    sessions: match self.agent.tells_types() {
                        true => vec![session(line, &run, self.agent.words())],
                        false => Vec::new(),
                    },
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
        let situation = &self.lines[at].situation;
        let (expected, got) = self.agent.counted(situation, expected, &got);
        let mut all = Vec::new();
        let mut compare = |what: &str, expected: Value, got: Value| {
            if expected != got {
                let (expected, got) = apart(&expected, &got);
                all.push(Difference {
                    weight: match what {
                        "messages" => Weight::Wording,
                        _ => Weight::Outcome,
                    },
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
