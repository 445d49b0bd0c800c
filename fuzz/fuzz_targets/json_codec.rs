//! JSON and its messages: no bytes make them panic, acceptance agrees with serde_json, and
//! values survive being written.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::json_codec::run(bytes));
