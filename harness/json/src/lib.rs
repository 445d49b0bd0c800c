//! A JSON parser for judging: strict (RFC 8259) and without loss.
//!
//! It keeps repeated keys, their order, spellings of numbers, byte offsets and lone surrogates,
//! which common libraries drop or reject. The crate knows no protocol: what the values mean is the
//! caller's business.

mod parser;
#[cfg(test)]
mod tests;

use std::ops::Range;

/// Arrays and objects nested deeper than this are [`JsonErrorKind::TooDeep`].
pub const MAX_DEPTH: usize = 512;

/// A JSON value as it was written in the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it was written.
    Number(String),
    /// A string with its escapes decoded.
    String(Text),
    /// An array.
    Array(Vec<Json>),
    /// An object, in the order of the input, with repeated keys.
    Object(Vec<Member>),
}

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl JsonType {
    /// The type's name with its article, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "a list",
            Self::Object => "an object",
        }
    }
}

/// A key and its value in an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The key.
    pub key: Text,
    /// The value.
    pub value: Json,
    /// The range of key and value in the input.
    pub span: Range<usize>,
}

/// A decoded string: UTF-8, except for lone surrogates, which are kept as WTF-8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Vec<u8>);

impl Text {
    /// The text as UTF-8; `None` if it contains a lone surrogate.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The bytes: UTF-8, with lone surrogates as their three bytes of WTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Does an escape name half of a surrogate pair? The grammar allows this, but it is no text.
    pub fn has_lone_surrogate(&self) -> bool {
        self.0.windows(3).any(|bytes| surrogate(bytes).is_some())
    }

    /// The bytes, as [`Text::as_bytes`].
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl Json {
    /// Its type.
    pub fn json_type(&self) -> JsonType {
        match self {
            Self::Null => JsonType::Null,
            Self::Bool(_) => JsonType::Bool,
            Self::Number(_) => JsonType::Number,
            Self::String(_) => JsonType::String,
            Self::Array(_) => JsonType::Array,
            Self::Object(_) => JsonType::Object,
        }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&[Member]> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The last value of `key` in an object, which is the one that agents use.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let members = self.as_object()?;
        let of_key = members
            .iter()
            .rfind(|member| member.key.as_bytes() == key.as_bytes());
        of_key.map(|member| &member.value)
    }
}

/// What is wrong with a JSON text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct JsonError {
    /// Offset in the input.
    pub offset: usize,
    /// What is wrong there.
    pub kind: JsonErrorKind,
}

/// What can be wrong with a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonErrorKind {
    /// Invalid UTF-8.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// More than [`MAX_DEPTH`] nested arrays and objects.
    #[error("nested too deep")]
    TooDeep,
    /// A byte order mark.
    #[error("a byte order mark")]
    ByteOrderMark,
    /// A byte below 0x20 in a string that is not escaped.
    #[error("raw control character 0x{0:02x} in a string")]
    ControlCharacter(u8),
    /// A backslash before a character that cannot be escaped.
    #[error("invalid escape in a string")]
    Escape,
    /// A number with a leading zero, or without a required digit.
    #[error("malformed number")]
    Number,
    /// The text ends inside a value, or contains none.
    #[error("unexpected end")]
    UnexpectedEnd,
    /// A comma before a closing bracket.
    #[error("trailing comma")]
    TrailingComma,
    /// A byte that does not fit, and what is expected instead.
    #[error("expected {0}")]
    Expected(&'static str),
    /// Something after the value.
    #[error("more text after the value")]
    TrailingText,
}

/// Parses one JSON value and nothing else; blanks around it are allowed.
///
/// # Errors
/// The first place that violates RFC 8259's grammar or UTF-8.
pub fn parse(bytes: &[u8]) -> Result<Json, JsonError> {
    parser::Parser::strict(bytes, 0).whole()
}

/// Parses one JSON value and returns it with the offset right after it. If anything but blanks
/// follows there, the bytes contain several values or appended text.
///
/// # Errors
/// As [`parse`], but what follows the value is not parsed.
pub fn parse_prefix(bytes: &[u8]) -> Result<(Json, usize), JsonError> {
    parse_prefix_at(bytes, 0)
}

/// Like [`parse_prefix`], but starts at `start`; all offsets count from the beginning of `bytes`.
///
/// # Errors
/// As [`parse_prefix`].
pub fn parse_prefix_at(bytes: &[u8], start: usize) -> Result<(Json, usize), JsonError> {
    parser::Parser::strict(bytes, start).prefix()
}

/// Like [`parse`], but strings may contain raw control characters and invalid UTF-8, which cf-agent
/// 3.21.0 sends. For recorded requests, never to judge a module.
///
/// # Errors
/// As [`parse`], except for these two kinds.
pub fn parse_lenient(bytes: &[u8]) -> Result<Json, JsonError> {
    parser::Parser::lenient(bytes).whole()
}

/// The surrogate that is stored as these three bytes of WTF-8.
pub fn surrogate(bytes: &[u8]) -> Option<u16> {
    let &[0xed, middle @ 0xa0..=0xbf, last @ 0x80..=0xbf] = bytes else {
        return None;
    };
    Some(0xd000 | u16::from(middle & 0x3f) << 6 | u16::from(last & 0x3f))
}
