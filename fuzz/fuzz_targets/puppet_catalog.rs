//! Any bytes are a catalog or refused, with a place.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::puppet_catalog::run(bytes));
