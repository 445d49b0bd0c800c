//! Any bytes are a case or refused, with a place; what is accepted is then expected.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::mgmt_case::run(bytes));
