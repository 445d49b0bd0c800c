//! What a run did, in the form of recordings.

use crate::messages::Messages;
use puppet_protocol::runtimes::Type;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use stickler_conform::rows::Row;

/// What a version did.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// The oldest version that did so.
    pub since: String,
    /// The exit code, or `hang`.
    pub exit: Value,
    /// The calls of the provider.
    pub calls: Vec<Value>,
    /// What the reports say of each resource. `is` lists `changed`, `failed`, `skipped`, `out_of_sync` and
    /// `failed_to_restart`; an event of `events` is property, status, previous and desired value, name of the message.
    pub resources: Map<String, Value>,
    /// Messages of level notice and above: level, source, name.
    pub says: Vec<(String, Option<String>, String)>,
    /// What it wrote to standard output beside messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prints: Vec<String>,
}

/// What a run showed, as it showed it.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Shown {
    /// The exit code.
    #[serde(default)]
    pub exit: i32,
    /// Was it killed at its deadline?
    #[serde(default)]
    pub hung: bool,
    /// Severity, source and text of its messages.
    #[serde(default)]
    pub messages: Vec<(String, Option<String>, String)>,
    /// What its reports say of resources.
    #[serde(default)]
    pub statuses: Vec<Status>,
    /// The types that were registered.
    #[serde(default)]
    pub types: BTreeMap<String, Type>,
    /// The calls of the provider.
    #[serde(skip)]
    pub calls: Vec<Value>,
    /// Its standard output.
    #[serde(skip)]
    pub stdout: String,
}

/// What a report says of a resource, with whole messages.
#[derive(Clone, Debug, Deserialize)]
pub struct Status {
    /// Its name: `T[a]`.
    pub resource: String,
    /// `changed`, `failed` and so on.
    pub is: Vec<String>,
    /// Events.
    pub events: Vec<Event>,
}

/// An event of a resource.
#[derive(Clone, Debug, Deserialize)]
pub struct Event {
    /// The property.
    pub property: Option<String>,
    /// `success`, `failure`, `noop`, `audit`.
    pub status: String,
    /// The previous value.
    pub from: Value,
    /// The desired value.
    pub to: Value,
    /// The message.
    pub message: String,
}

/// A run without an end calls the provider ever again: so many calls are recorded.
const CALLS_WITHOUT_END: usize = 5;

/// Resources that Puppet adds or that hold others.
const OWN: [&str; 6] = [
    "Stage[",
    "Class[",
    "Schedule[",
    "Filebucket[",
    "File[",
    "Whit",
];

impl Seen {
    /// What a run showed, with names in place of messages.
    pub fn of(shown: Shown, messages: &Messages) -> Self {
        let mut calls = shown.calls;
        if shown.hung {
            calls.truncate(CALLS_WITHOUT_END);
        }
        let mut resources = Map::new();
        for status in shown.statuses {
            if OWN.iter().any(|own| status.resource.starts_with(own)) {
                continue;
            }
            let events = status.events.into_iter().map(|event| {
                let property = event.property.filter(|property| !property.is_empty());
                json!([
                    property,
                    event.status,
                    event.from,
                    event.to,
                    messages.name(&event.message)
                ])
            });
            let events: Vec<Value> = events.collect();
            let resource = json!({ "is": status.is, "events": events });
            resources.insert(status.resource, resource);
        }
        let told = shown.messages.into_iter();
        let says = told.filter_map(|(level, source, text)| messages.said(level, source, &text));
        Self {
            since: String::new(),
            exit: match shown.hung {
                true => "hang".into(),
                false => shown.exit.into(),
            },
            calls,
            resources,
            says: says.collect(),
            prints: messages.printed(&shown.stdout),
        }
    }
}

impl Row for Seen {
    fn since(&self) -> &str {
        &self.since
    }

    fn of(self, version: &str) -> Self {
        Seen {
            since: version.to_owned(),
            ..self
        }
    }
}
