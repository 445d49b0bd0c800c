//! How values are encoded in messages, and how JSON becomes a value.

use super::json::writer;
use crate::release::Release;
use stickler_json::{Json, Member};
use stickler_transcript::Value;

/// How a request is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As releases of cf-agent encode it: compact, keys sorted by their bytes, seven escapes, all other bytes raw,
    /// so the output may be invalid JSON. Names of members are escaped like texts, which no release before 3.28.0
    /// does.
    Agent,
    /// Byte for byte as a release of cf-agent.
    Release(&'static Release),
    /// As in the specification's examples: blanks after `:` and `,`, keys in the given order. Valid
    /// JSON if the text is UTF-8 or has lone surrogates.
    Spec,
    /// Like [`Style::Spec`], with `\u` escapes for everything beyond ASCII (pairs beyond the BMP).
    Ascii,
}

impl Style {
    /// Is it the agent's style: compact and sorted, with the keys that the agent sends?
    pub(super) fn is_agents(self) -> bool {
        matches!(self, Self::Agent | Self::Release(_))
    }
}

/// Values as messages contain them.
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

impl Encode for Json {
    fn encode(&self, style: Style) -> Vec<u8> {
        from_json(self).encode(style)
    }
}

/// The value that a JSON text stands for. Spellings of numbers stay; places are dropped.
pub fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(raw) => Value::Number(raw.clone()),
        Json::String(text) => Value::Text(text.as_bytes().to_vec()),
        Json::Array(items) => Value::List(items.iter().map(from_json).collect()),
        Json::Object(members) => {
            let pair = |member: &Member| {
                let key = member.key.as_bytes().to_vec();
                (key, from_json(&member.value))
            };
            Value::Object(members.iter().map(pair).collect())
        }
    }
}
