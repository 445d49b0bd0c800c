//! Any text is read as a type or refused with a place, as a pattern, and as an encoded value. Values
//! are matched, described, converted and read as definitions.

use puppet_types::definition::{Library, as_library, as_library_transport};
use puppet_types::regex::Pattern;
use puppet_types::{Definition, Dice, Value, generate, parse};

/// Holds for any bytes.
pub fn run(bytes: &[u8]) {
    // A type, a value and a seed, with zero bytes between.
    let mut parts = bytes.splitn(3, |&byte| byte == 0);
    let text = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let value = Value::parse(parts.next().unwrap_or_default());
    let pattern = Pattern::new(text.as_ref());
    let _ = (pattern.fault().is_some(), pattern.captures("aé1\n"));
    if let Ok(value) = &value {
        let encoded = value.encode();
        let again = Value::parse(encoded.as_bytes()).expect("what is written is read");
        assert_eq!(again.encode(), encoded);
        let _ = (Definition::of_type(value), Definition::of_transport(value));
        let _ = as_library(value, Library::V1_8_16);
        let _ = as_library_transport(value, Library::V2_0_1);
    }
    let own = match parse(&text) {
        Ok(own) => own,
        Err(error) => {
            assert!(error.offset <= text.len() && error.line > 0 && error.column > 0);
            return;
        }
    };
    let _ = (own.to_string(), own.normalize(), own.generalize());
    if let Ok(value) = &value {
        let _ = own.matches(value);
        let _ = (own.describe_mismatch("it", value), own.munge(value, "it"));
    }
    let seed = parts.next().unwrap_or_default();
    let seed = seed
        .iter()
        .fold(0, |seed: u64, byte| seed << 8 | u64::from(*byte));
    let mut dice = Dice::new(seed, "fuzz");
    if let Some(value) = generate::valid(&own, &mut dice) {
        assert!(own.matches(&value).is_yes());
    }
    if let Some(value) = generate::invalid(&own, &mut dice) {
        assert!(own.matches(&value).is_no());
    }
}
