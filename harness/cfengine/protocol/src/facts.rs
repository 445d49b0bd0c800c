//! What this dialect notes about a case.

use crate::release::{RELEASES, Release};
use crate::wire::Protocol;
use serde::{Deserialize, Serialize};
use stickler_transcript::Facts as Map;

/// The facts of a promise module's case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The promise types that the module handles; the first is the default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub promise_types: Vec<String>,
    /// Attributes (or `promiser`) whose values the module is meant to run as commands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub executes: Vec<String>,
    /// Does the module accept any attribute?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open_attributes: bool,
    /// The protocol, if it was known before the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// The versions of the agents that the module is meant for. None if these are all measured ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// How the agent ended that drove the session, if that is known: `exit code 0`, `signal 11`,
    /// `fatal error`, `hung`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_ended: Option<String>,
    /// The promises that its policy states, if they are known, as [`promise`](crate::promise) writes them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub promised: Vec<String>,
    /// Does the agent have to send all of these to the module?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_promised: bool,
}

impl Facts {
    /// Reads the facts of a case. Facts that do not parse count as unknown: an external recorder
    /// notes none.
    pub fn of(map: &Map) -> Facts {
        serde_json::from_value(serde_json::Value::Object(map.clone())).unwrap_or_default()
    }

    /// The releases that the module is meant for, from the oldest to the newest.
    pub fn releases(&self) -> Vec<&'static Release> {
        let named: Vec<&Release> = self
            .agents
            .iter()
            .filter_map(|name| Release::named(name))
            .collect();
        let is_meant = |release: &&Release| named.is_empty() || named.contains(release);
        RELEASES.iter().filter(is_meant).collect()
    }

    /// Converts the facts into the form of a case.
    pub fn into_map(self) -> Map {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(map)) => map,
            _ => Map::new(),
        }
    }
}
