//! What scripted providers noted, as rules for runtimes see it.

use crate::phase;
use crate::session::{Call, Session};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use stickler_json::Json;

/// The fact of a case that holds what is [`Known`].
pub const FACT: &str = "runtime";

/// What is known of a run beside the calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    /// Does it run under noop?
    pub noop: Noop,
    /// The types that were registered.
    pub types: BTreeMap<String, Type>,
}

/// Does a run change nothing?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Noop {
    /// Nobody knows, or it depends on the resource.
    #[default]
    Unknown,
    /// For all resources.
    Yes,
    /// For none.
    No,
}

/// What the definition of a type says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Type {
    /// Its features.
    pub features: Vec<String>,
    /// Its attributes that are only read.
    pub read_only: Vec<String>,
}

impl Type {
    pub(super) fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|one| one == feature)
    }
}

impl Known {
    pub(super) fn of(session: &Session) -> Known {
        let fact = session.case().facts.get(FACT).cloned();
        fact.and_then(|fact| serde_json::from_value(fact).ok())
            .unwrap_or_default()
    }
}

/// A call that a provider noted.
pub(super) struct Noted<'s> {
    pub(super) call: &'s Call,
    /// The method.
    pub(super) method: &'s str,
    /// The type of the provider.
    pub(super) kind: &'s str,
}

impl<'s> Noted<'s> {
    pub(super) fn param(&self, key: &str) -> Option<&'s Json> {
        self.call.params.as_ref()?.get(key)
    }

    /// What `set` got: names, and what is to change.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&'s Json, &'s Json)> {
        let changes = self.param("changes").and_then(Json::as_array);
        let pairs = changes.unwrap_or_default().iter();
        pairs.filter_map(|pair| match pair.as_array()? {
            [name, change] => Some((name, change)),
            _ => None,
        })
    }

    /// A place in the same session before it?
    pub(super) fn is_before(&self, other: &Noted<'_>) -> bool {
        self.call.number < other.call.number
    }
}

/// All calls of providers, in their order. Of transports, nothing is judged.
pub(super) fn noted(session: &Session) -> Vec<Noted<'_>> {
    let driven = session.case().is_driven();
    let calls = session.exchanges.iter().filter(|_| driven);
    let calls = calls.filter(|call| call.phase == phase::NOTED);
    calls
        .filter_map(|call| {
            Some(Noted {
                call,
                method: string(call, "call")?,
                kind: string(call, "type")?,
            })
        })
        .collect()
}

/// The calls of `set`.
pub(super) fn sets<'a, 's>(all: &'a [Noted<'s>]) -> impl Iterator<Item = &'a Noted<'s>> {
    all.iter().filter(|one| one.method == "set")
}

fn string<'s>(call: &'s Call, key: &str) -> Option<&'s str> {
    match call.params.as_ref()?.get(key)? {
        Json::String(text) => text.as_str(),
        _ => None,
    }
}

/// The members of a value that is a hash with symbols as keys.
pub(super) fn members(value: &Json) -> Option<Vec<(&str, &Json)>> {
    let members = value.as_object()?.iter();
    let members = members.map(|one| Some((one.key.as_str()?, &one.value)));
    let members: Vec<_> = members.collect::<Option<_>>()?;
    // Any other value is written with `$`.
    let is_plain = members.iter().all(|(key, _)| !key.starts_with('$'));
    is_plain.then_some(members)
}
