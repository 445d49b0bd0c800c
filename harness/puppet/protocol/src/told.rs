//! What a provider told about each resource, in order.

use crate::message::HostEvent;
use crate::session::Call;
use puppet_types::Value;

/// A message about one resource.
pub(crate) struct Told<'s> {
    pub event: &'s HostEvent,
    /// What it was.
    pub kind: Kind,
}

/// What a message about a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A plain message that names the resource.
    Log,
    /// A block begins.
    Open,
    /// It ended well.
    Done,
    /// It failed.
    Failed,
    /// An attribute changed.
    Attribute,
    /// An action was done.
    Action,
}

/// The titles that a message names.
pub(crate) fn titles(event: &HostEvent) -> Vec<&Value> {
    if is_untitled(event) {
        return Vec::new();
    }
    match event.arguments.first() {
        Some(Value::Array(titles)) => titles.iter().collect(),
        Some(title) => vec![title],
        None => Vec::new(),
    }
}

/// Does it tell of an attribute without a title, as within a block (specification, "Logging contexts")?
fn is_untitled(event: &HostEvent) -> bool {
    let is_text = |one: &&Value| one.get("message").is_some();
    let texts = event.arguments.iter().filter(is_text).count();
    event.name == "attribute_changed" && event.arguments.len() - texts == 3
}

/// What a call told of attributes without a title, each with the title of the block that is open then.
pub(crate) fn untitled(call: &Call) -> Vec<(Option<Value>, &HostEvent)> {
    let mut open: Vec<Option<Value>> = Vec::new();
    let mut found = Vec::new();
    for event in &call.events {
        match kind(event) {
            Some(Kind::Open) => open.push(titles(event).first().map(|title| (*title).clone())),
            Some(Kind::Done | Kind::Failed) => {
                open.pop();
            }
            Some(Kind::Attribute) if is_untitled(event) => {
                found.push((open.last().cloned().flatten(), event));
            }
            _ => {}
        }
    }
    found
}

/// What the provider told about the resource of this name.
pub(crate) fn about<'s>(call: &'s Call, name: &Value) -> Vec<Told<'s>> {
    let events = call.events.iter();
    let told = events.filter_map(|event| {
        let kind = kind(event)?;
        let is_it = titles(event).into_iter().any(|title| is_same(title, name));
        is_it.then_some(Told { event, kind })
    });
    told.collect()
}

/// Does a message name resources, while it is made?
pub(crate) fn names_resources(event: &HostEvent) -> bool {
    matches!(
        kind(event),
        Some(Kind::Log | Kind::Open | Kind::Action | Kind::Attribute)
    )
}

/// The messages that name resources.
fn kind(event: &HostEvent) -> Option<Kind> {
    match (&*event.kind, &*event.name) {
        // With a title, there is a text after it.
        ("log", _) => (event.arguments.len() > 1).then_some(Kind::Log),
        ("open", _) => Some(Kind::Open),
        ("done", _) => Some(Kind::Done),
        ("failed", _) => Some(Kind::Failed),
        ("action", "attribute_changed") => Some(Kind::Attribute),
        ("action", _) => Some(Kind::Action),
        _ => None,
    }
}

/// Several namevars may be told as a hash or as a text that has them all.
pub(crate) fn is_same(title: &Value, name: &Value) -> bool {
    match (title, name) {
        (Value::String(title), Value::Hash(parts)) => parts
            .iter()
            .all(|(_, part)| title.contains(&part.to_text())),
        (title, name) => title == name || title.to_text() == name.to_text(),
    }
}

/// The names of a call's changes, and the changes.
pub(crate) fn changes(call: &Call) -> Vec<(Value, Value)> {
    let Some(Value::Array(changes)) = call.param("changes") else {
        return Vec::new();
    };
    let pairs = changes.into_iter().filter_map(|pair| match pair {
        Value::Array(pair) => match <[Value; 2]>::try_from(pair) {
            Ok([name, change]) => Some((name, change)),
            Err(_) => None,
        },
        _ => None,
    });
    pairs.collect()
}
