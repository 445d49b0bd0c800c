//! Headers: no bytes make the analysis panic, and its ranges lie inside the answer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::header::run(bytes));
