//! Policy text of any content is read or refused with a place; what is read is
//! checked, lined up, written and read again as the same.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stickler_targets::policy::run(bytes));
