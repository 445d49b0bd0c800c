//! Messages of a host that answer no request.

use crate::answer::text;
use stickler_json::Json;

/// A notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// Its method.
    pub method: String,
    /// Its parameters.
    pub params: Json,
}

impl Notification {
    /// Reads a line. `None` if it has no method or no parameters.
    pub fn read(line: &[u8]) -> Option<Self> {
        let message = stickler_json::parse(line).ok()?;
        Some(Notification {
            method: text(message.get("method")?)?,
            params: message.get("params")?.clone(),
        })
    }

    /// A parameter that is text.
    pub fn text(&self, key: &str) -> Option<String> {
        text(self.params.get(key)?)
    }
}
