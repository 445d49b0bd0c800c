//! `stickler.toml` of any content gives a configuration or a message with a place.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::config::run(bytes));
