//! Values of an item's fields.

use crate::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// A value as agents send it: the types of JSON, with bytes for text. Files hold it as JSON without
/// loss: a text is a string or `{"base64": …}`, an object is `{"members": [[name, value], …]}`
/// because its order counts, and a number is `{"number": "1e5"}` because its digits do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// A text with any bytes: agents do send invalid UTF-8. A lone surrogate is stored as WTF-8.
    Text(Vec<u8>),
    /// A list.
    List(Vec<Value>),
    /// Named members in order; names may occur twice.
    Object(Vec<(Vec<u8>, Value)>),
    /// A number as it is written.
    Number(String),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
}

impl Value {
    /// A text.
    pub fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Text(bytes.into())
    }

    /// The bytes of a text; `None` for any other type.
    pub fn as_text(&self) -> Option<&[u8]> {
        match self {
            Self::Text(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// All texts in it, in order: itself, or those in a list or an object.
    pub fn texts(&self) -> Vec<&[u8]> {
        let mut texts = Vec::new();
        self.gather(false, &mut texts);
        texts
    }

    /// Like [`Value::texts`], with the names of members before their values.
    pub fn words(&self) -> Vec<&[u8]> {
        let mut words = Vec::new();
        self.gather(true, &mut words);
        words
    }

    fn gather<'v>(&'v self, names: bool, out: &mut Vec<&'v [u8]>) {
        match self {
            Self::Text(text) => out.push(text),
            Self::List(items) => items.iter().for_each(|item| item.gather(names, out)),
            Self::Object(members) => members.iter().for_each(|(name, value)| {
                if names {
                    out.push(name);
                }
                value.gather(names, out);
            }),
            Self::Number(_) | Self::Bool(_) | Self::Null => {}
        }
    }

    /// The type in words for messages, with its article.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
            Self::Number(_) => "a number",
            Self::Bool(_) => "a boolean",
            Self::Null => "null",
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

/// The form in files.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form<'v> {
    Null(()),
    Bool(bool),
    List(Cow<'v, [Value]>),
    Number { number: Cow<'v, str> },
    Object { members: Vec<(Bytes, Value)> },
    Text(Bytes),
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match self {
            Value::Text(text) => Form::Text(text[..].into()),
            Value::List(items) => Form::List(items.into()),
            Value::Object(members) => Form::Object {
                members: members
                    .iter()
                    .map(|(name, value)| (name[..].into(), value.clone()))
                    .collect(),
            },
            Value::Number(number) => Form::Number {
                number: number.into(),
            },
            Value::Bool(value) => Form::Bool(*value),
            Value::Null => Form::Null(()),
        };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Form::deserialize(deserializer)? {
            Form::Null(()) => Value::Null,
            Form::Bool(value) => Value::Bool(value),
            Form::List(items) => Value::List(items.into_owned()),
            Form::Number { number } => Value::Number(number.into_owned()),
            Form::Object { members } => {
                let members = members.into_iter();
                Value::Object(
                    members
                        .map(|(name, value)| (name.to_vec(), value))
                        .collect(),
                )
            }
            Form::Text(text) => Value::Text(text.to_vec()),
        })
    }
}
