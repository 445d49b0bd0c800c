//! A situation: types, scripted providers, and what is applied.

use crate::seen::Seen;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use stickler_conform::rows::order;

/// A line of `situations.jsonl`.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it says.
    pub situation: Situation,
    /// The members as they were read. Only what was recorded ever changes.
    members: Map<String, Value>,
}

/// A situation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Situation {
    /// Its name, after its family: `def/name-upper`.
    pub name: String,
    /// What it is about, in words.
    pub about: String,
    /// The Ruby text that each type passes to `register_type`; after `!`, its whole file.
    #[serde(default)]
    pub types: BTreeMap<String, String>,
    /// The Ruby text that each transport passes to `register_transport`.
    #[serde(default)]
    pub transports: BTreeMap<String, String>,
    /// What each provider answers; `transport:NAME` is a transport.
    #[serde(default)]
    pub script: Map<String, Value>,
    /// The manifest.
    #[serde(default)]
    pub manifest: String,
    /// What is run.
    #[serde(default)]
    pub command: Command,
    /// The words after the command and its options. For a device, they stand in place of the manifest.
    #[serde(default)]
    pub args: Vec<String>,
    /// Further options.
    #[serde(default)]
    pub options: Vec<String>,
    /// The setting `strict`; the version's own default if there is none.
    pub strict: Option<String>,
    /// Is the exit code of `puppet apply` its usual one, without details?
    #[serde(default)]
    pub plain_exit: bool,
    /// Further files of the module.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Types without a provider's file.
    #[serde(default)]
    pub no_provider: Vec<String>,
    /// The device.
    pub device: Option<Device>,
    /// Why Stickler cannot play it.
    pub left_out: Option<String>,
    /// What was recorded: of each version, and of those after it up to the next entry.
    #[serde(default)]
    pub want: Vec<Seen>,
}

/// What is run.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// `puppet apply`.
    #[default]
    Apply,
    /// `puppet resource`.
    Resource,
    /// `puppet device`.
    Device,
}

/// A device, as `device.conf` names it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Its transport.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where its credentials are, if not in the usual file.
    pub url: Option<String>,
    /// Its credentials.
    #[serde(default)]
    pub credentials: Map<String, Value>,
}

impl stickler_conform::Line for Line {
    fn read(line: &str) -> anyhow::Result<Self> {
        Ok(Self {
            situation: serde_json::from_str(line)?,
            members: serde_json::from_str(line)?,
        })
    }
}

impl Line {
    /// The members without what was recorded.
    pub fn bare(&self) -> Value {
        let mut members = self.members.clone();
        members.remove("want");
        Value::Object(members)
    }

    /// The line as text.
    ///
    /// # Errors
    ///
    /// If it can't be written as JSON.
    pub fn text(&self) -> serde_json::Result<String> {
        let mut members = self.members.clone();
        members.insert(
            "want".to_owned(),
            serde_json::to_value(&self.situation.want)?,
        );
        serde_json::to_string(&members)
    }
}

/// The releases that were recorded, from the oldest to the newest.
pub(crate) fn releases(lines: &[Line]) -> Vec<String> {
    let wants = lines.iter().flat_map(|line| &line.situation.want);
    let mut releases: Vec<String> = wants.map(|want| want.since.clone()).collect();
    releases.sort_by_key(|version| order(version));
    releases.dedup();
    releases
}
