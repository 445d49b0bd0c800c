//! Any text is read as a type or refused with a place, as a pattern, and as an encoded value. Values
//! are matched, described, converted and read as definitions.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::puppet_types::run(bytes));
