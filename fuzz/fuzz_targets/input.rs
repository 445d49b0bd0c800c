//! Files of `stickler fuzz`: any bytes are an input or are refused, and so is what bytes choose. An
//! input is planned without a panic, and is the same once it was written.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::input::run(bytes));
