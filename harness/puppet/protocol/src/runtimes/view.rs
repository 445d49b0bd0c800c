//! What scripted providers noted, as rules for runtimes see it.

use crate::phase;
use crate::session::{Call, Session};
use serde::{Deserialize, Serialize};
use serde_json::Value;
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
    /// The setting `strict`, or `default`; none if nobody knows.
    pub strict: Option<String>,
    /// The types that were registered.
    pub types: BTreeMap<String, Type>,
    /// What the manifest declares, if that is known.
    pub declared: Option<Vec<Declared>>,
    /// How the run ended for each resource, if it has a report: `changed`, `failed` and so on, by `T[title]`.
    pub reported: Option<BTreeMap<String, Vec<String>>>,
    /// Lines that were printed and show what the manifest declares as Sensitive.
    pub shown: Vec<String>,
}

/// A resource of the manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Declared {
    /// Its type.
    pub kind: String,
    /// Its title.
    pub title: String,
    /// Its attributes and metaparameters. A value that is not known is null.
    pub values: BTreeMap<String, Value>,
}

/// What a provider answers to a call of `set`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// It raises an error of its own, before it says anything of a resource.
    pub raises: bool,
    /// The names whose block raises an error, such as that of `context.updating`.
    pub failed: Vec<Value>,
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
    /// All its attributes; none if nobody knows.
    pub attributes: Vec<String>,
    /// Those that name a resource.
    pub namevars: Vec<String>,
    /// Has it patterns, which take attributes from titles?
    pub title_patterns: bool,
    /// Those with defaults. An object with `$obj` is a default that is not known.
    pub defaults: BTreeMap<String, Value>,
    /// Those whose type is Sensitive.
    pub sensitive: Vec<String>,
    /// What calls of `get` return, in their turn; the last one stays. None is not known.
    pub rows: Vec<Option<Vec<Value>>>,
    /// The attributes that `canonicalize` may change, if these are known.
    pub rewritten: Option<Vec<String>>,
    /// What calls of `set` answer, in their turn; the last one stays. None is not known.
    pub answers: Vec<Option<Answer>>,
}

impl Type {
    /// The attributes that may be others in their canonical form, if these are known.
    pub(super) fn canonicalized(&self) -> Option<&[String]> {
        match self.has("canonicalize") {
            true => self.rewritten.as_deref(),
            false => Some(&[]),
        }
    }

    /// Is a row that of a name?
    pub(super) fn is_named(&self, row: &Value, name: &Value) -> bool {
        let same = |key: &str, value: &Value| row.get(key).is_some_and(|own| alike(own, value));
        match (name, &self.namevars[..]) {
            (Value::Object(parts), _) => parts.iter().all(|(key, value)| same(key, value)),
            (name, [namevar]) => same(namevar, name),
            (name, _) => same("name", name) || same("title", name),
        }
    }

    /// Is it what a runtime has of a resource that is not there: nothing but its name?
    pub(super) fn is_absent(&self, row: &Value) -> bool {
        let Some(members) = row.as_object() else {
            return row.is_null();
        };
        let is_name = |key: &String| key == "title" || self.namevars.contains(key);
        members.iter().all(|(key, value)| match &key[..] {
            "ensure" => text(value) == Some("absent"),
            _ => is_name(key) || value.is_null(),
        })
    }
    pub(super) fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|one| one == feature)
    }
}

impl Known {
    /// The resource of the manifest that a name means.
    pub(super) fn declared(&self, kind: &str, name: &Value) -> Option<&Declared> {
        let all = self.declared.as_deref().unwrap_or_default().iter();
        let own: Vec<&Declared> = all.filter(|one| one.kind == kind).collect();
        if name.is_object() {
            return match own[..] {
                [only] => Some(only),
                _ => None,
            };
        }
        let known = self.types.get(kind)?;
        let [namevar] = &known.namevars[..] else {
            return None;
        };
        own.into_iter().find(|one| {
            let given = one.values.get(namevar).or_else(|| one.values.get("name"));
            match given {
                Some(given) => alike(given, name),
                None => one.title == text(name).map_or_else(|| name.to_string(), str::to_owned),
            }
        })
    }

    /// What the report says of the resource with a name.
    pub(super) fn reported(&self, kind: &str, name: &Value) -> Option<&[String]> {
        let declared = self.declared(kind, name).map(|one| &one.title[..]);
        let title = declared.or_else(|| text(name))?;
        let mut all = self.reported.as_ref()?.iter();
        let found = all.find(|(reference, _)| is_of(reference, kind) == Some(title))?;
        Some(found.1)
    }

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

    /// What `set` got, as facts hold values.
    pub(super) fn plain_changes(&self) -> Vec<(Value, Value)> {
        self.changes()
            .map(|(name, change)| (plain(name), plain(change)))
            .collect()
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

/// The title, if a reference such as `T[a]` names a resource of a type.
pub(super) fn is_of<'r>(reference: &'r str, kind: &str) -> Option<&'r str> {
    let (own, title) = reference.strip_suffix(']')?.split_once('[')?;
    (own.to_lowercase() == kind).then_some(title)
}

/// What each call of `get` before a call returned, if all of that is known.
pub(super) fn rows_before<'k>(
    all: &[Noted<'_>],
    call: &Noted<'_>,
    kind: &'k Type,
) -> Option<Vec<&'k [Value]>> {
    let gets = all
        .iter()
        .filter(|one| one.method == "get" && one.kind == call.kind && one.is_before(call));
    let answer = |turn| kind.rows.get(turn).or(kind.rows.last())?.as_deref();
    gets.enumerate().map(|(turn, _)| answer(turn)).collect()
}

/// The text of a string or a symbol.
pub(super) fn text(value: &Value) -> Option<&str> {
    value
        .as_str()
        .or_else(|| value.get("$sym").and_then(Value::as_str))
}

/// A value without the wrapper of what is Sensitive.
pub(super) fn unwrapped(value: &Value) -> &Value {
    value.get("$sens").unwrap_or(value)
}

/// A value of a session as facts hold values.
pub(super) fn plain(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(own) => Value::Bool(*own),
        Json::Number(text) => serde_json::from_str(text).unwrap_or_default(),
        Json::String(text) => text.as_str().map(Value::from).unwrap_or_default(),
        Json::Array(items) => items.iter().map(plain).collect(),
        Json::Object(members) => members
            .iter()
            .filter_map(|one| Some((one.key.as_str()?.to_owned(), plain(&one.value))))
            .collect(),
    }
}

/// Are two values the same? Numbers are by their value, and hashes in any order.
pub(super) fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64().is_some_and(|one| Some(one) == other.as_f64())
        }
        (Value::Array(one), Value::Array(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| alike(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            if let (Some(Value::Array(one)), Some(Value::Array(other))) =
                (one.get("$h"), other.get("$h"))
            {
                let is_in = |pair: &Value| other.iter().any(|own| alike(own, pair));
                return one.len() == other.len() && one.iter().all(is_in);
            }
            let same = |(key, own): (&String, &Value)| {
                other.get(key).is_some_and(|value| alike(own, value))
            };
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}
