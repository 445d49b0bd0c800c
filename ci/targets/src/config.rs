//! `stickler.toml` of any content gives a configuration or a message with a place.

use std::path::Path;
use stickler_suite::config::from_text;

/// Reads these bytes as text.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    for words in stickler_dialects::words() {
        if let Err(error) = from_text(Path::new("stickler.toml"), text, words) {
            assert!(error.line >= 1 && error.column >= 1);
            assert!(!error.to_string().is_empty());
        }
    }
}
