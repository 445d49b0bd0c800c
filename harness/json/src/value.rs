//! Values as they were written.

use std::ops::Range;

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
pub struct Text(pub(crate) Vec<u8>);

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

    /// The items of an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
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

/// The surrogate that is stored as these three bytes of WTF-8.
pub fn surrogate(bytes: &[u8]) -> Option<u16> {
    let &[0xed, middle @ 0xa0..=0xbf, last @ 0x80..=0xbf] = bytes else {
        return None;
    };
    Some(0xd000 | u16::from(middle & 0x3f) << 6 | u16::from(last & 0x3f))
}
