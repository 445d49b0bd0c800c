//! Bytes that are mostly text, lossless in JSON.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::RangeBounds;

/// A byte string, cheap to clone: copies and parts share memory. In JSON it is a string if it is
/// UTF-8; otherwise it is an object `{"base64": "…"}`.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bytes(bytes::Bytes);

impl Bytes {
    /// A part of the bytes. Panics if the range is out of bounds, as slices do.
    #[must_use]
    pub fn part(&self, range: impl RangeBounds<usize>) -> Bytes {
        Bytes(self.0.slice(range))
    }

    /// The bytes as text, with U+FFFD where they are not UTF-8.
    pub fn lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        // The spare capacity of a vector would be kept as long as the record.
        Bytes(bytes.into_boxed_slice().into())
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Bytes(bytes::Bytes::copy_from_slice(bytes))
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

#[derive(Serialize, Deserialize)]
struct Base64<'a> {
    base64: std::borrow::Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Form {
    Text(String),
    Base64(Base64<'static>),
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => Base64 {
                base64: STANDARD.encode(&self.0).into(),
            }
            .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Form::deserialize(deserializer)? {
            Form::Text(text) => Ok(text.into()),
            Form::Base64(Base64 { base64 }) => STANDARD
                .decode(base64.as_bytes())
                .map(Bytes::from)
                .map_err(serde::de::Error::custom),
        }
    }
}
