//! The JSON Schema of `stickler.toml` for Puppet modules and the reader agree. That they agree on each
//! key is tested with the words of promise modules.

use puppet_suite::VOCABULARY;
use std::fs;
use std::path::{Path, PathBuf};
use stickler_suite::config::{from_text, json_schema};

/// What both say about a file in a folder.
fn accepted(text: &str, folder: &Path) -> (bool, bool) {
    let schema = serde_json::from_str(&json_schema(&VOCABULARY)).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let table: toml::Table = text.parse().expect("TOML");
    let value = serde_json::to_value(table).expect("a value");
    let read = from_text(&folder.join("stickler.toml"), text, &VOCABULARY);
    (read.is_ok(), validator.is_valid(&value))
}

fn modules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/providers")
}

#[test]
fn both_accept_the_descriptions_of_this_repository() {
    let mut number = 0;
    for entry in fs::read_dir(modules()).expect("a folder") {
        let folder = entry.expect("an entry").path();
        if !folder.is_dir() {
            continue;
        }
        let text = fs::read_to_string(folder.join("stickler.toml")).expect("a file");
        assert_eq!(
            accepted(&text, &folder),
            (true, true),
            "{}",
            folder.display()
        );
        number += 1;
    }
    assert!(number > 10);
}

#[test]
fn both_reject_what_belongs_to_another_dialect() {
    let folder = modules().join("package_key");
    let whole = "[subject]\ndialect = \"resource-api\"\npath = \".\"\ninterpreters = [\"ruby\"]\n\
                 [[example]]\ntype = \"package_key\"\ntitle = \"a\"\nexpect = [\"ok\"]\n";
    assert_eq!(accepted(whole, &folder), (true, true));
    for (from, to) in [
        ("resource-api", "promise-module"),
        ("title = ", "promiser = "),
        ("type = ", "promise_type = "),
        ("\"ok\"", "\"kept\""),
        ("[\"ruby\"]", "\"ruby\""),
        ("[[example]]", "[[example]]\nraw_attributes = \"{}\""),
    ] {
        let changed = whole.replace(from, to);
        assert_eq!(accepted(&changed, &folder), (false, false), "{changed}");
    }
}
