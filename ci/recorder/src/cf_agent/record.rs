//! Adds what an agent does to the recordings.

use super::messages::Messages;
use super::play::Agent;
use super::situation::{Line, Want, lines};
use crate::recorded::Recorded;
use crate::rows::note;
use crate::run::side_by_side;
use anyhow::Context;
use cfengine_protocol::release::RELEASES;
use regex::Regex;
use std::path::Path;

/// Plays each situation of a fixture with the agent at a path, and notes in the fixture what it does.
///
/// A release that does what the one before it did adds nothing.
///
/// # Errors
///
/// If a file can't be read or written, or if the agent can't be started.
pub fn record(fixture: &Path, agent: &Path) -> anyhow::Result<Recorded> {
    let agent = Agent::new(agent, &fixture.join("module.py"))?;
    let messages = Messages::load(&fixture.join("messages.jsonl"))?;
    let path = fixture.join("situations.jsonl");
    let mut lines = lines(&path)?;
    let observed = side_by_side(&lines, |line| {
        agent
            .play(line, &messages)
            .with_context(|| line.situation.name.clone())
    })?;
    let known: Vec<&str> = RELEASES.iter().map(|release| release.version).collect();
    let line_number = Regex::new(r#"("line_number":|line_number=)[0-9]+"#)?;
    let mut changed = Vec::new();
    for (line, observed) in lines.iter_mut().zip(observed) {
        let (reflowed, varies) = (line.situation.reflowed, line.situation.varies.is_some());
        let counted = |want: &Want| {
            let mut want = want.clone();
            want.since.clear();
            if varies {
                want.says.clear();
            }
            if reflowed {
                for asked in want.asked.values_mut().flatten() {
                    *asked = line_number.replace(asked, "$1").into_owned();
                }
            }
            want
        };
        let alike = |one: &Want, other: &Want| counted(one) == counted(other);
        if note(
            &mut line.situation.want,
            observed,
            &agent.version,
            &known,
            alike,
        ) {
            changed.push(line.situation.name.clone());
        }
    }
    if !changed.is_empty() {
        let text: Result<Vec<String>, _> = lines.iter().map(Line::text).collect();
        std::fs::write(&path, text?.join("\n") + "\n")?;
    }
    Ok(Recorded {
        version: agent.version,
        played: lines.len(),
        changed,
    })
}
