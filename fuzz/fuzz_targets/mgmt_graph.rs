//! Any bytes are a graph of mgmt or refused, with a place.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::mgmt_graph::run(bytes));
