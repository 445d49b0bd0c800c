//! The line protocol: no bytes make it panic, and what was read once is read the same again
//! after it was written.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::line_codec::run(bytes));
