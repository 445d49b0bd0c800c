//! What a run of either side showed.

use puppet_runtime::{Log, RunReport};
use puppet_types::Value;
use serde::{Deserialize, Serialize};

/// A run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Its messages of level notice and above.
    pub logs: Vec<Message>,
    /// What became of each resource.
    pub statuses: Vec<Status>,
    /// Why the catalog as a whole could not be applied.
    pub error: Option<String>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its level.
    pub level: String,
    /// The path of a resource or a property; `Puppet` for Puppet itself.
    pub source: String,
    /// The text.
    pub message: String,
}

/// What became of a resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Its name.
    pub resource: String,
    /// Did it fail?
    pub failed: bool,
    /// Did it change?
    pub changed: bool,
    /// Was it not applied?
    pub skipped: bool,
    /// Did it have to change?
    pub out_of_sync: bool,
    /// Its events.
    pub events: Vec<Change>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The property, if it was one.
    pub property: Option<String>,
    /// What came of it.
    pub status: String,
    /// In words.
    pub message: String,
    /// The value before; symbols begin with a colon.
    pub previous: serde_json::Value,
    /// The value that was wanted.
    pub desired: serde_json::Value,
}

impl Seen {
    /// What Stickler's runtime showed.
    pub fn of(logs: &[Log], report: Option<&RunReport>, error: Option<String>) -> Self {
        let logs = logs
            .iter()
            .filter(|log| log.level >= puppet_runtime::Severity::Notice);
        let statuses = report.map_or(&[][..], |report| &report.statuses);
        Seen {
            logs: logs
                .map(|log| Message {
                    level: log.level.name().to_owned(),
                    source: log.source.clone().unwrap_or_else(|| "Puppet".to_owned()),
                    message: log.message.clone(),
                })
                .collect(),
            statuses: statuses.iter().map(status).collect(),
            error,
        }
    }
}

fn status(status: &puppet_runtime::Status) -> Status {
    Status {
        resource: status.resource.clone(),
        failed: status.failed,
        changed: status.changed(),
        skipped: status.skipped.is_some(),
        out_of_sync: status.out_of_sync(),
        events: status
            .events
            .iter()
            .map(|event| Change {
                property: event.property.clone(),
                status: event.status.name().to_owned(),
                message: event.message.clone(),
                previous: plain(&event.previous),
                desired: plain(&event.desired),
            })
            .collect(),
    }
}

/// A value as the peer writes it.
pub(crate) fn plain(value: &Value) -> serde_json::Value {
    match value {
        Value::Undef => serde_json::Value::Null,
        Value::Bool(bool) => (*bool).into(),
        Value::Integer(_) | Value::Float(_) => {
            serde_json::from_str(&value.encode()).unwrap_or_default()
        }
        Value::Symbol(name) => format!(":{name}").into(),
        Value::Sensitive(_) => "Sensitive".into(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().into(),
        Value::Hash(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| {
                let key = match key {
                    Value::Symbol(name) => format!(":{name}"),
                    other => other.to_text(),
                };
                (key, plain(value))
            });
            serde_json::Value::Object(pairs.collect())
        }
        other => other.to_text().into(),
    }
}
