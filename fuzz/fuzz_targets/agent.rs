//! The reference agent: no policy makes it panic, or run without end. Programs
//! are not started and files not read.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::agent::run(bytes));
