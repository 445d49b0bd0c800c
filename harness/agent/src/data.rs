//! Data containers: JSON as CFEngine keeps it, numbers as they are spelled.

mod parse;
mod select;
mod write;
mod yaml;

pub use parse::{Broken, NO_DATA, TOO_DEEP, parse, parse_with};
pub use yaml::parse_yaml;

use crate::map::Map;
use crate::value::Text;

/// A container or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number without a fraction, as it is spelled.
    Int(Text),
    /// A number with a fraction, as it is spelled.
    Real(Text),
    /// A string.
    String(Text),
    /// An array.
    Array(Vec<Data>),
    /// An object, in order of insertion.
    Object(Map<Text, Data>),
}

impl Data {
    /// A string.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::String(text.into())
    }

    /// A number without a fraction.
    pub fn int(number: i64) -> Self {
        Self::Int(number.to_string().into())
    }

    /// Whether it is an array or an object.
    pub fn is_container(&self) -> bool {
        matches!(self, Self::Array(_) | Self::Object(_))
    }

    /// The text of what is no container.
    pub fn primitive(&self) -> Option<Text> {
        Some(match self {
            Self::Null => "null".into(),
            Self::Bool(true) => "true".into(),
            Self::Bool(false) => "false".into(),
            Self::Int(text) | Self::Real(text) | Self::String(text) => text.clone(),
            Self::Array(_) | Self::Object(_) => return None,
        })
    }

    /// How many children it has.
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

    /// Its children.
    pub fn children(&self) -> Box<dyn Iterator<Item = &Data> + '_> {
        match self {
            Self::Array(items) => Box::new(items.iter()),
            Self::Object(members) => Box::new(members.values()),
            _ => Box::new(std::iter::empty()),
        }
    }

    /// The container as a variable keeps it: the agent spells reals anew
    /// whenever it copies one.
    pub fn copied(self) -> Self {
        match self {
            Self::Real(text) => {
                let number: f64 = text.parse().unwrap_or(0.0);
                Self::Real(format!("{number:.4}").into())
            }
            Self::Array(items) => Self::Array(items.into_iter().map(Data::copied).collect()),
            Self::Object(members) => Self::Object(
                members
                    .into_iter()
                    .map(|(key, value)| (key, value.copied()))
                    .collect(),
            ),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests;
