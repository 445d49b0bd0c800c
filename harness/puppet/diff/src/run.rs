//! A run in a sandbox: what it showed, and what it changed.

use crate::compare::{Difference, of};
use crate::seen::{Message, Seen, Status};
use puppet_types::Value;
use serde::{Deserialize, Serialize};

/// A run in a sandbox.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What it showed.
    #[serde(flatten)]
    pub seen: Seen,
    /// What it changed on disk, one line an effect.
    pub effects: Vec<String>,
}

impl Run {
    /// Reads what `stickler apply --format json` printed. `None` if it did not come to its end.
    pub fn read(lines: &str, effects: Vec<String>) -> Option<Self> {
        let mut seen = Seen::default();
        let mut ended = false;
        for line in lines.lines() {
            let mut line: serde_json::Value = serde_json::from_str(line).ok()?;
            match line["event"].as_str()? {
                "log" => {
                    if line["source"].is_null() {
                        line["source"] = "Puppet".into();
                    }
                    let message: Message = serde_json::from_value(line).ok()?;
                    // Puppet tells of the end elsewhere.
                    if !message.message.starts_with("Applied catalog in ") {
                        seen.logs.push(message);
                    }
                }
                "status" => {
                    let mut status: Status = serde_json::from_value(line).ok()?;
                    for event in &mut status.events {
                        event.previous = plain(&event.previous)?;
                        event.desired = plain(&event.desired)?;
                    }
                    seen.statuses.push(status);
                }
                "error" => {
                    seen.error = Some(line["message"].as_str()?.to_owned());
                    ended = true;
                }
                "summary" => ended = true,
                _ => {}
            }
        }
        ended.then_some(Run { seen, effects })
    }
}

/// A value of the provider protocol as the peer writes it.
fn plain(value: &serde_json::Value) -> Option<serde_json::Value> {
    let value = Value::parse(value.to_string().as_bytes()).ok()?;
    Some(crate::seen::plain(&value))
}

/// Compares two runs with their effects.
pub fn compare(ours: &Run, theirs: &Run) -> Vec<Difference> {
    let mut found = of(&ours.seen, &theirs.seen);
    for effect in &ours.effects {
        if !theirs.effects.contains(effect) {
            found.push(Difference {
                what: "effect".to_owned(),
                ours: Some(effect.clone()),
                theirs: None,
            });
        }
    }
    for effect in &theirs.effects {
        if !ours.effects.contains(effect) {
            found.push(Difference {
                what: "effect".to_owned(),
                ours: None,
                theirs: Some(effect.clone()),
            });
        }
    }
    found
}

/// The differences between two sides without those that show between two runs of one side.
pub fn steady(found: Vec<Difference>, run: &Run, again: &Run) -> Vec<Difference> {
    let varied: Vec<String> = compare(run, again).iter().map(subject).collect();
    let is_steady = |one: &Difference| !varied.contains(&subject(one));
    found.into_iter().filter(is_steady).collect()
}

/// What a difference is about: of an effect, what happened to which path.
fn subject(one: &Difference) -> String {
    let effect = one.ours.as_ref().or(one.theirs.as_ref());
    match effect.filter(|_| one.what == "effect") {
        Some(effect) => effect.split(" (").next().unwrap_or(effect).to_owned(),
        None => one.what.clone(),
    }
}
