//! A run in a sandbox: what it showed, and what it changed.

use crate::seen::{Message, Seen, Status};
use puppet_types::Value;
use serde::{Deserialize, Serialize};

/// A run.
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
                    let of_the_end = ["Applied catalog in ", "Failed to apply catalog: "];
                    if !of_the_end
                        .iter()
                        .any(|start| message.message.starts_with(start))
                    {
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
