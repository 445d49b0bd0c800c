//! Data containers: JSON values; numbers keep their spelling.

mod parse;
mod select;
mod write;
mod yaml;

pub use parse::{Broken, NO_DATA, Picked, TOO_DEEP, parse, parse_with, pick};
pub use yaml::parse_yaml;

use crate::map::Map;
use crate::value::Text;
use std::fmt;

/// A container or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer, as spelled.
    Int(Text),
    /// A real number, as spelled.
    Real(Text),
    /// A string.
    String(Text),
    /// An array.
    Array(Vec<Data>),
    /// An object, in order of insertion.
    Object(Map<Text, Data>),
}

impl Data {
    /// Creates a string.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::String(text.into())
    }

    /// Creates an integer.
    pub fn int(number: i64) -> Self {
        Self::Int(number.to_string().into())
    }

    /// Whether it is an array or an object.
    pub fn is_container(&self) -> bool {
        matches!(self, Self::Array(_) | Self::Object(_))
    }

    /// The text of a value that is no container.
    pub fn primitive(&self) -> Option<Text> {
        Some(match self {
            Self::Null => "null".into(),
            Self::Bool(true) => "true".into(),
            Self::Bool(false) => "false".into(),
            Self::Int(text) | Self::Real(text) | Self::String(text) => text.clone(),
            Self::Array(_) | Self::Object(_) => return None,
        })
    }

    /// The number of children.
    pub fn len(&self) -> usize {
        match self {
            Self::Array(items) => items.len(),
            Self::Object(members) => members.len(),
            _ => 0,
        }
    }

    /// Whether it has no children.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The children.
    pub fn children(&self) -> Box<dyn Iterator<Item = &Data> + '_> {
        match self {
            Self::Array(items) => Box::new(items.iter()),
            Self::Object(members) => Box::new(members.values()),
            _ => Box::new(std::iter::empty()),
        }
    }

    /// The container as a variable stores it: cf-agent formats numbers again whenever it copies
    /// one.
    ///
    /// # Errors
    /// cf-agent can't copy a number.
    pub fn copied(self) -> Result<Self, Uncopied> {
        Ok(match self {
            Self::Int(text) => Self::int(copied_int(&text)?.into()),
            Self::Real(text) => Self::Real(copied_real(&text).into()),
            Self::Array(items) => {
                let items = items.into_iter().map(Data::copied);
                Self::Array(items.collect::<Result<_, _>>()?)
            }
            Self::Object(members) => {
                let members = members.into_iter();
                let copied = members.map(|(key, value)| Ok((key, value.copied()?)));
                Self::Object(copied.collect::<Result<_, _>>()?)
            }
            other => other,
        })
    }
}

/// A number without a dot that is no 64-bit integer: it has an exponent or is too large. Holds
/// cf-agent's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncopied(String);

impl fmt::Display for Uncopied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// cf-agent keeps 32 bits.
fn copied_int(text: &str) -> Result<i32, Uncopied> {
    Ok(whole(text)? as i32)
}

fn whole(text: &str) -> Result<i64, Uncopied> {
    let digits = text.find(['e', 'E']).unwrap_or(text.len());
    let wrong = match text[..digits].parse::<i64>() {
        Ok(number) if digits == text.len() => return Ok(number),
        Ok(_) => "-83 - Not terminated",
        Err(_) => "34 - Overflow",
    };
    let message = format!("Conversion error ({wrong}) on '{text}' (StringToLongExitOnError)");
    Err(Uncopied(message))
}

/// cf-agent keeps 31 bytes; an infinite number becomes zero.
fn copied_real(text: &str) -> String {
    let number: f64 = text.parse().unwrap_or(0.0);
    let number = Some(number).filter(|number| number.is_finite());
    let mut text = format!("{:.4}", number.unwrap_or(0.0));
    text.truncate(31);
    text
}

#[cfg(test)]
mod tests;
