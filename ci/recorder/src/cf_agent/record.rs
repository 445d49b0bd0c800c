//! Adds what an agent does to the recordings.

use super::messages::Messages;
use super::play::Agent;
use super::situation::{Line, Situation, Want, lines};
use crate::run::side_by_side;
use anyhow::Context;
use cfengine_protocol::release::{RELEASES, order};
use regex::Regex;
use std::path::Path;

/// What came of a recording.
#[derive(Debug)]
pub struct Recorded {
    /// The version that was recorded.
    pub version: String,
    /// How many situations were played.
    pub played: usize,
    /// Those whose recording changed.
    pub changed: Vec<String>,
}

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
    let mut changed = Vec::new();
    for (line, observed) in lines.iter_mut().zip(observed) {
        if note(&mut line.situation, observed, &agent.version)? {
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

/// Notes what a version did, if the recording says something else. Other versions keep what they did.
fn note(situation: &mut Situation, observed: Want, version: &str) -> anyhow::Result<bool> {
    let own = order(version);
    let at = situation
        .want
        .partition_point(|want| order(&want.since) <= own);
    let before = at.checked_sub(1).map(|last| situation.want[last].clone());
    if let Some(before) = &before
        && alike(situation, before, &observed)?
    {
        return Ok(false);
    }
    let observed = Want {
        since: version.to_owned(),
        ..observed
    };
    let mut releases = RELEASES.iter();
    let next = releases.find(|release| order(release.version) > own);
    if let (Some(before), Some(next)) = (&before, next)
        && !situation.changes_with(next)
    {
        let kept = Want {
            since: next.version.to_owned(),
            ..before.clone()
        };
        situation.want.insert(at, kept);
    }
    match before {
        Some(before) if before.since == version => situation.want[at - 1] = observed,
        _ => situation.want.insert(at, observed),
    }
    Ok(true)
}

/// Did two agents do the same, as far as it is recorded?
fn alike(situation: &Situation, one: &Want, other: &Want) -> anyhow::Result<bool> {
    let number = Regex::new(r#"("line_number":|line_number=)[0-9]+"#)?;
    let compared = |want: &Want| {
        let mut want = want.clone();
        want.since.clear();
        if situation.varies.is_some() {
            want.says.clear();
        }
        if situation.reflowed {
            for asked in want.asked.values_mut().flatten() {
                *asked = number.replace(asked, "$1").into_owned();
            }
        }
        want
    };
    Ok(compared(one) == compared(other))
}

#[cfg(test)]
mod tests {
    use super::{Situation, Want, note};
    use crate::cf_agent::Exit;

    fn exit(since: &str, code: i32) -> Want {
        Want {
            since: since.to_owned(),
            exit: Some(Exit::Code(code)),
            ..Want::default()
        }
    }

    fn noted(want: &[Want], observed: Want, version: &str) -> (bool, Vec<Want>) {
        let empty = r#"{"name":"a/b","policy":"","modules":{},"want":[]}"#;
        let mut situation: Situation = serde_json::from_str(empty).expect("a situation");
        situation.want = want.to_vec();
        let changed = note(&mut situation, observed, version).expect("it is noted");
        (changed, situation.want)
    }

    #[test]
    fn a_release_that_does_what_the_one_before_it_did_adds_nothing() {
        let want = [exit("3.21.0", 0), exit("3.28.0", 1)];
        for (version, code) in [("3.21.0", 0), ("3.25.1", 0), ("3.28.0", 1), ("3.30.0", 1)] {
            let (changed, after) = noted(&want, exit("", code), version);
            assert!(!changed, "{version}");
            assert_eq!(after, want);
        }
    }

    #[test]
    fn a_new_release_that_does_something_else_adds_what_it_does() {
        let (changed, after) = noted(&[exit("3.21.0", 0)], exit("", 1), "3.30.0");
        assert!(changed);
        assert_eq!(after, [exit("3.21.0", 0), exit("3.30.0", 1)]);
    }

    #[test]
    fn releases_after_one_that_is_corrected_keep_what_they_did() {
        let (_, after) = noted(&[exit("3.21.0", 0)], exit("", 1), "3.21.0");
        assert_eq!(after, [exit("3.21.0", 1), exit("3.24.4", 0)]);
        let (_, after) = noted(&[exit("3.21.0", 0)], exit("", 1), "3.24.4");
        let all = [exit("3.21.0", 0), exit("3.24.4", 1), exit("3.27.1", 0)];
        assert_eq!(after, all);
    }
}
