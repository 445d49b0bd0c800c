//! How values are written in messages, and what JSON says as a value.

use super::json::{Json, writer};
use stickler_transcript::Value;

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

/// Values as messages carry them.
pub trait Encode {
    /// Writes the value as JSON, without line ends.
    fn encode(&self, style: Style) -> Vec<u8>;
}

impl Encode for Value {
    fn encode(&self, style: Style) -> Vec<u8> {
        let mut out = Vec::new();
        writer::write(self, style, &mut out);
        out
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
