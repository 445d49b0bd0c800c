//! `stickler.toml` of any content gives a configuration or a message with a place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use cfengine_suite::VOCABULARY;
use stickler_suite::config::from_text;

fuzz_target!(|text: &str| {
    if let Err(error) = from_text(Path::new("stickler.toml"), text, &VOCABULARY) {
        assert!(error.line >= 1 && error.column >= 1);
        assert!(!error.to_string().is_empty());
    }
});
