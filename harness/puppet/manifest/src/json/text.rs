//! Parts of a catalog as text.

use stickler_json::{Json, Text};

pub(super) fn text(text: &Text) -> Option<&str> {
    text.as_str()
}

/// A string or a number as text.
pub(super) fn scalar(json: Option<&Json>) -> Option<String> {
    match json? {
        Json::String(own) => text(own).map(str::to_owned),
        Json::Number(raw) => Some(raw.clone()),
        _ => None,
    }
}
