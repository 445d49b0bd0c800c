//! The rules' names for their defects: well formed, and each once in a rule's file.

use cfengine_protocol::agents::all_rules;
use std::collections::BTreeSet;

/// The names of variants in the text of a rule's file.
fn names(source: &str) -> impl Iterator<Item = &str> {
    let code = source.split("Variant::new(").skip(1);
    code.map(|rest| {
        let literal = rest.trim_start().strip_prefix('"');
        literal
            .and_then(|rest| rest.split('"').next())
            .unwrap_or("")
    })
}

/// Words of lower-case letters, with hyphens between them.
fn is_well_formed(name: &str) -> bool {
    name.split('-')
        .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

#[test]
fn names_are_words_with_hyphens() {
    for rule in all_rules() {
        for name in names(rule.source) {
            assert!(is_well_formed(name), "{}: `{name}`", rule.code);
        }
    }
    assert!(is_well_formed("other-end-state"));
    for name in ["", "-", "exits-", "Exits", "two words", "utf-8"] {
        assert!(!is_well_formed(name), "`{name}`");
    }
}

#[test]
fn no_name_occurs_twice_in_a_file() {
    for rule in all_rules() {
        let mut seen = BTreeSet::new();
        for name in names(rule.source) {
            assert!(seen.insert(name), "{}: `{name}` occurs twice", rule.code);
        }
    }
}
