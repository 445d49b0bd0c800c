//! Parses YAML as CFEngine does: event by event. Values before an error are kept, and aliases are
//! ignored.

use super::Data;
use super::parse::{Broken, TOO_DEEP, number};
use crate::map::Map;
use crate::value::Text;
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

/// The error for a mapping or a sequence as a key.
const BAD_KEY: &str = "a key that is a container: cf-agent 3.21.0 would crash here";
/// The error for an event that is neither a value nor an end.
const NOTHING: &str = "no value: cf-agent 3.21.0 would crash here";

/// The deepest nesting of containers.
const DEEPEST: usize = 5_000;

/// Parses the first document.
///
/// # Errors
/// There is no document, or cf-agent would crash on it.
pub fn parse_yaml(text: &str) -> Result<Data, Broken> {
    let fail = |why| Broken { why, at: 0 };
    if text.is_empty() {
        return Err(fail(NOTHING));
    }
    let mut open = vec![Open::new(Data::Array(Vec::new()))];
    for event in Parser::new_from_str(text) {
        let Ok((event, _)) = event else {
            break;
        };
        match event {
            Event::Scalar(value, style, _, tag) => {
                if let Some(inner) = open.last_mut() {
                    inner.take(&value, style, tag.as_deref());
                }
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.last().is_some_and(Open::wants_key) {
                    return Err(fail(BAD_KEY));
                }
                if open.len() > DEEPEST {
                    return Err(fail(TOO_DEEP));
                }
                open.push(Open::new(match event {
                    Event::SequenceStart(..) => Data::Array(Vec::new()),
                    _ => Data::Object(Map::default()),
                }));
            }
            Event::SequenceEnd | Event::MappingEnd => close(&mut open),
            _ => {}
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    match open.pop() {
        Some(Open {
            data: Data::Array(documents),
            ..
        }) => {
            let first = documents.into_iter().next();
            first.map(|data| data.clone().copied().unwrap_or(data))
        }
        _ => None,
    }
    .ok_or(fail(NOTHING))
}

/// A container that is not complete yet.
struct Open {
    data: Data,
    key: Option<Text>,
}

impl Open {
    fn new(data: Data) -> Self {
        Self { data, key: None }
    }

    fn wants_key(&self) -> bool {
        matches!(self.data, Data::Object(_)) && self.key.is_none()
    }

    fn take(&mut self, value: &str, style: ScalarStyle, tag: Option<&Tag>) {
        if self.wants_key() {
            self.key = Some(value.into());
        } else {
            self.add(scalar(value, style, tag));
        }
    }

    fn add(&mut self, value: Data) {
        match &mut self.data {
            Data::Object(members) => {
                if let Some(key) = self.key.take() {
                    // A duplicate key moves to the end.
                    members.shift_remove(&key);
                    members.insert(key, value);
                }
            }
            Data::Array(items) => items.push(value),
            _ => {}
        }
    }
}

fn close(open: &mut Vec<Open>) {
    if let Some(inner) = open.pop()
        && let Some(outer) = open.last_mut()
    {
        outer.add(inner.data);
    }
}

/// A plain scalar may be a number, a boolean or null; a quoted one is a text.
fn scalar(value: &str, style: ScalarStyle, tag: Option<&Tag>) -> Data {
    let tag = tag.filter(|tag| !(tag.handle.is_empty() && tag.suffix == "!"));
    let named = |name: &str| {
        tag.is_some_and(|tag| tag.handle == "tag:yaml.org,2002:" && tag.suffix == name)
    };
    let plain = tag.is_none() && style == ScalarStyle::Plain;
    if (plain || named("null")) && matches!(value, "" | "~" | "NULL" | "Null" | "null") {
        return Data::Null;
    }
    if plain || named("bool") {
        match value {
            "Y" | "y" | "YES" | "Yes" | "yes" | "TRUE" | "True" | "true" | "ON" | "On" | "on" => {
                return Data::Bool(true);
            }
            "N" | "n" | "NO" | "No" | "no" | "FALSE" | "False" | "false" | "OFF" | "Off"
            | "off" => return Data::Bool(false),
            _ => {}
        }
    }
    if (plain || named("int") || named("float"))
        && let Some(number) = number(value)
    {
        return number;
    }
    Data::text(value)
}
