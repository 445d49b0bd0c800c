//! Any text is a manifest or refused, with a place within it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::puppet_manifest::run(bytes));
