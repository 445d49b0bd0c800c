//! The reader takes any bytes without a panic, and reads what it wrote.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::transcript::run(bytes));
