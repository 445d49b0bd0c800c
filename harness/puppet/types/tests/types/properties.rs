//! No input makes this crate panic, and what it writes is read again as the same.

use crate::grammar;
use proptest::prelude::*;
use puppet_types::definition::{Library, as_library, as_library_transport};
use puppet_types::regex::Pattern;
use puppet_types::{Definition, Dice, Match, Value, generate, parse};

/// Texts of the characters that types are made of.
const NEARLY_A_TYPE: &str = r#"(Array|Enum|Struct|String|Integer|\[|\]|\{|\}|=>|,|'|"|/|\\|a|A|1|0x|-| |\n|#|:|\$|é|\(|\)|\?){0,24}"#;

proptest! {
    #[test]
    fn no_text_makes_the_parsers_panic(text: String, nearly in NEARLY_A_TYPE) {
        for text in [text, nearly] {
            let _ = parse(&text);
            let pattern = Pattern::new(text.as_str());
            let _ = (pattern.fault().is_some(), pattern.is_match("a\n"), pattern.captures(""));
            let _ = Value::parse(text.as_bytes());
        }
    }

    #[test]
    fn any_value_is_described_munged_and_read(seed: u64) {
        let mut dice = Dice::new(seed, "any");
        let value = generate::any(&mut dice);
        prop_assert_eq!(Value::parse(value.encode().as_bytes()).expect("a value").encode(), value.encode());
        let _ = (Definition::of_type(&value), Definition::of_transport(&value));
        let _ = (as_library(&value, Library::V2_0_1), as_library_transport(&value, Library::V1_8_16));
        if let Ok(own) = parse(&grammar::expression(&mut dice, 3)) {
            let _ = (own.describe_mismatch("", &value), own.munge(&value, ""), own.accept(&value, ""));
        }
    }

    #[test]
    fn generated_values_match_or_mismatch_their_type_as_intended(seed: u64) {
        let mut dice = Dice::new(seed, "values");
        let Ok(own) = parse(&grammar::expression(&mut dice, 3)) else { return Ok(()) };
        if let Some(value) = generate::valid(&own, &mut dice) {
            prop_assert_eq!(own.matches(&value), Match::Yes);
            prop_assert!(own.generalize().matches(&value).is_yes(), "{} {}", own.generalize(), value.inspect());
            prop_assert!(own.normalize().matches(&value).is_yes() || has_quirk(&own.to_string()), "{} {}", own.normalize(), value.inspect());
        }
        if let Some(value) = generate::invalid(&own, &mut dice) {
            prop_assert_eq!(own.matches(&value), Match::No);
        }
        let again = |salt| generate::valid(&own, &mut Dice::new(seed, salt)).map(|one| one.encode());
        prop_assert_eq!(again("a"), again("a"));
    }

    #[test]
    fn a_type_is_read_as_it_is_written(seed: u64) {
        let mut dice = Dice::new(seed, "print");
        let Ok(own) = parse(&grammar::expression(&mut dice, 3)) else { return Ok(()) };
        let written = own.to_string();
        prop_assume!(!has_quirk(&written));
        let again = parse(&written).expect("what is written is read");
        prop_assert_eq!(again.to_string(), written);
    }
}

/// Puppet writes some types so that they read as others: unknown names, sensitive ones, patterns of
/// one encoding, and keys that occur twice.
fn has_quirk(written: &str) -> bool {
    [
        "TypeReference",
        "Sensitive",
        "(?-mix:",
        "Struct",
        "NotUndef",
        "Collection",
        "Array",
        "Unit",
    ]
    .iter()
    .any(|quirk| written.contains(quirk))
}
