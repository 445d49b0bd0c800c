//! Values as requests and responses carry them, and how they are written.

use super::json::{Json, JsonType, writer};

/// A value of a message's key or a promise's attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string. Any bytes: agents do send invalid UTF-8. A lone surrogate is its WTF-8 form.
    Text(Vec<u8>),
    /// A list.
    List(Vec<Value>),
    /// A container, in the order of the wire; keys may occur twice.
    Object(Vec<(Vec<u8>, Value)>),
    /// A number as it is spelled; written as it stands here.
    Number(String),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
}

/// How a request is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Byte for byte as cf-agent 3.21.0: compact, keys sorted by their bytes, seven escapes
    /// and every other byte raw, so that the outcome may be no JSON at all. But names of
    /// members are escaped as texts are: see [`Style::Verbatim`].
    Agent,
    /// As [`Style::Agent`], with names of members as they stand: cf-agent 3.21.0 escapes none,
    /// so that one with a quote breaks its message.
    Verbatim,
    /// As the specification's examples: blanks after `:` and `,`, keys in the order given.
    /// Valid JSON wherever the text is UTF-8 or has lone surrogates.
    Spec,
    /// As [`Style::Spec`], with everything beyond ASCII as `\u` escapes (pairs beyond the BMP).
    Ascii,
}

impl Style {
    /// Whether it is the agent's: compact and sorted, with the keys that it sends.
    pub(super) fn is_agents(self) -> bool {
        matches!(self, Self::Agent | Self::Verbatim)
    }
}

impl Value {
    /// A text.
    pub fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Text(bytes.into())
    }

    /// The bytes of a text, `None` for any other type.
    pub fn as_text(&self) -> Option<&[u8]> {
        match self {
            Self::Text(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// All texts in it, in their order: itself, or those of a list or an object.
    pub fn texts(&self) -> Vec<&[u8]> {
        let mut texts = Vec::new();
        self.gather(false, &mut texts);
        texts
    }

    /// As [`Value::texts`], with the names of members before what they hold.
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
        let of = match self {
            Self::Text(_) => JsonType::String,
            Self::List(_) => JsonType::Array,
            Self::Object(_) => JsonType::Object,
            Self::Number(_) => JsonType::Number,
            Self::Bool(_) => JsonType::Bool,
            Self::Null => JsonType::Null,
        };
        of.name()
    }

    /// Writes the value as JSON, without line ends.
    pub fn encode(&self, style: Style) -> Vec<u8> {
        let mut out = Vec::new();
        writer::write(self, style, &mut out);
        out
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(raw) => Self::Number(raw.clone()),
            Json::String(text) => Self::Text(text.as_bytes().to_vec()),
            Json::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Json::Object(members) => Self::Object(
                members
                    .iter()
                    .map(|member| (member.key.as_bytes().to_vec(), Self::from(&member.value)))
                    .collect(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_at_any_depth_and_words_are_they_and_the_names() {
        let list = Value::List(vec![Value::text("a"), Value::Null, Value::text("b")]);
        let value = Value::Object(vec![
            (b"one".to_vec(), list),
            (b"two".to_vec(), Value::Bool(true)),
        ]);
        assert_eq!(value.texts(), [b"a", b"b"]);
        assert_eq!(value.words(), [&b"one"[..], b"a", b"b", b"two"]);
        assert_eq!(Value::text("alone").texts(), [b"alone"]);
    }
}
