//! The JSON Schema of `stickler.toml` and the reader agree.

use cfengine_suite::VOCABULARY;
use jsonschema::Validator;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use stickler_suite::Vocabulary;
use stickler_suite::config::{from_text, json_schema};
use toml::{Table, Value};

/// A dialect with typed values and without exact JSON.
static TYPED: Vocabulary = Vocabulary {
    dialect: "typed",
    typed: true,
    devices: true,
    interpreters: true,
    json: None,
    ..VOCABULARY
};

/// All keys, each with a value that both accept.
const ALL: &str = r#"
[subject]
dialect = "promise-module"
promise_type = "greeting"
promise_types = ["greeting"]
interpreter = "/usr/bin/python3"
path = "Cargo.toml"
command = ["sh", "-c", "true"]
env = { NAME = "value" }
executes = ["command"]
sensitive = ["password"]
open_attributes = true
deadlines = { header = 1, validate = 2.5, evaluate = 60, terminate = 3 }

[fake]
systemctl = "Cargo.toml"

[[service]]
command = ["serve"]
ready = "http://127.0.0.1:8080/"

[[example]]
name = "one"
promise_type = "greeting"
promiser = "{dir}/one"
attributes = { text = "a", number = 1, truth = true, list = ["a", ["b"]], container = { a = "b" } }
raw_attributes = '{"exact": "a"}'
setup = [["mkdir", "{dir}/sub"]]
expect = ["repaired", "kept"]
creates = { "{dir}/a" = { type = "file", mode = "0644", owner = "root", group = 0, content = "x" }, "{dir}/l" = { target = "a" } }
absent = ["{dir}/b"]
verify = [["true"]]

[[invalid]]
name = "two"
promise_type = "greeting"
promiser = "two"
attributes = {}
raw_attributes = '{}'
setup = []

[[xfail]]
rule = "PM203"
reason = "known"
until = 2027-06-01
example = "one"
field = "text"

[[waive]]
rule = "PM203"
reason = "known"
until = "2027-06-01"
example = "two"
field = "text"

[effects]
ignore = ["/var/lib/x/**"]

[sandbox]
tier = "copy"
network = false
expose = ["/run/x"]
"#;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn schema(words: &Vocabulary) -> serde_json::Value {
    serde_json::from_str(&json_schema(words)).expect("a schema is JSON")
}

fn validator(words: &Vocabulary) -> Validator {
    jsonschema::draft7::meta::validate(&schema(words)).expect("a schema of draft 7");
    jsonschema::validator_for(&schema(words)).expect("a schema")
}

/// Converts as editors do: a date becomes a text.
fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Datetime(date) => date.to_string().into(),
        Value::Array(items) => items.iter().map(json).collect(),
        Value::Table(table) => table
            .iter()
            .map(|(key, value)| (key, json(value)))
            .collect(),
        Value::String(text) => text.as_str().into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Boolean(truth) => (*truth).into(),
    }
}

/// Why the reader rejects a configuration.
fn read(table: &Table, words: &Vocabulary, folder: &Path) -> Result<(), String> {
    let text = toml::to_string(table).expect("it can be written");
    from_text(&folder.join("stickler.toml"), &text, words)
        .map(drop)
        .map_err(|error| error.to_string())
}

fn parsed(text: &str) -> Table {
    text.parse()
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn both_accept(table: &Table, folder: &Path) {
    let read = read(table, &VOCABULARY, folder);
    let errors: Vec<String> = validator(&VOCABULARY)
        .iter_errors(&json(&Value::Table(table.clone())))
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!((read, errors), (Ok(()), Vec::new()), "{table}");
}

#[track_caller]
fn both_reject(table: &Table) {
    let read = read(table, &VOCABULARY, root());
    let valid = validator(&VOCABULARY).is_valid(&json(&Value::Table(table.clone())));
    assert!(read.is_err() && !valid, "{read:?} {valid}\n{table}");
}

/// The paths of the keys that a schema lists: `example.name`.
fn listed(schema: &serde_json::Value, path: &str, found: &mut BTreeSet<String>) {
    let schema = schema.get("items").unwrap_or(schema);
    let properties = schema.get("properties").and_then(|all| all.as_object());
    for (name, inner) in properties.into_iter().flatten() {
        let path = format!("{path}.{name}");
        listed(inner, &path, found);
        found.insert(path);
    }
}

/// Is there such a key in a configuration?
fn holds(value: &Value, path: &str) -> bool {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let value = match value {
        Value::Array(items) => items.first(),
        value => Some(value),
    };
    let inner = value.and_then(|value| value.get(first));
    inner.is_some_and(|inner| rest.is_empty() || holds(inner, rest))
}

#[test]
fn the_reader_reads_each_key_of_the_schema() {
    let all = parsed(ALL);
    both_accept(&all, root());
    let mut keys = BTreeSet::new();
    listed(&schema(&VOCABULARY), "", &mut keys);
    assert!(keys.len() > 40, "{keys:?}");
    for key in keys {
        assert!(holds(&Value::Table(all.clone()), &key[1..]), "{key}");
    }
}

/// Calls a function with each table in a value.
fn each_table(value: &mut Value, call: &mut dyn FnMut(&mut Table)) {
    match value {
        Value::Table(table) => {
            for (_, inner) in table.iter_mut() {
                each_table(inner, call);
            }
            call(table);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_table(item, call)),
        _ => {}
    }
}

#[test]
fn both_reject_unknown_keys() {
    let mut number = 0;
    loop {
        let (mut at, mut free) = (0, true);
        let mut all = Value::Table(parsed(ALL));
        each_table(&mut all, &mut |table| {
            // These tables may have any key.
            let open = ["NAME", "systemctl", "text", "a"];
            let changed = at == number && !table.is_empty();
            free = if changed {
                open.iter().any(|key| table.contains_key(*key))
            } else {
                free
            };
            if changed {
                table.insert("unknown".into(), "x".into());
            }
            at += 1;
        });
        if number >= at {
            break;
        }
        if !free {
            both_reject(all.as_table().expect("a table"));
        }
        number += 1;
    }
    assert!(number > 10);
}

/// The `toml` blocks of a page that describe a module.
fn blocks(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).expect("a page");
    let blocks = text.split("```toml\n").skip(1);
    blocks
        .filter_map(|block| Some(block.split_once("```")?.0.to_owned()))
        .collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn both_accept_each_file_of_this_repository() {
    let top = root().join("../../..");
    let mut found = Vec::new();
    for folder in ["fixtures", "docs"] {
        files(&top.join(folder), &mut found);
    }
    let mut number = 0;
    for file in found {
        if file.ends_with("stickler.toml") {
            let text = fs::read_to_string(&file).expect("a file");
            let mut table = parsed(&text);
            let dialect = table
                .get("subject")
                .and_then(|subject| subject.get("dialect"));
            if dialect.is_some_and(|dialect| dialect.as_str() != Some("promise-module")) {
                // This schema is that of promise modules.
                continue;
            }
            if file.starts_with(top.join("fixtures")) {
                // Some modules are compiled first.
                table
                    .get_mut("subject")
                    .and_then(Value::as_table_mut)
                    .map(|it| it.remove("path"));
            }
            both_accept(&table, file.parent().expect("a folder"));
            number += 1;
        } else if file.extension().is_some_and(|end| end == "md") {
            for block in blocks(&file) {
                // The example's module exists only for its reader, and so do the stand-ins for commands.
                let mut table = parsed(&block.replace("path = \"file_content.py\"\n", ""));
                table.remove("fake");
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                if name.contains("puppet") || is_for_puppet(&table) {
                    continue;
                }
                both_accept(&table, root());
                number += 1;
            }
        }
    }
    assert!(number > 10);
}

/// Does a part of a description speak of resources, which have titles and may live on devices?
fn is_for_puppet(table: &Table) -> bool {
    let items = ["example", "invalid"].map(|key| table.get(key).and_then(Value::as_array));
    let mut items = items.into_iter().flatten().flatten();
    table.contains_key("target") || items.any(|item| item.get("title").is_some())
}

/// Values of each type, and each word that some key knows.
const VALUES: &str = r#"
texts = ["", "a", "/run", "{dir}", "{}", "[1]", "*[", "Cargo.toml", "PM203", "one", "greeting"]
words = ["kept", "repaired", "not_kept", "overlay", "copy", "none", "promise-module", "typed"]
numbers = [-1, 0, 1, 86400, 86401]
floats = [-0.5, 0.5, 86400.5]
truths = [true, false]
dates = [2027-06-01, 2027-06-01T01:02:03Z, "2027-06-01", "2027-13-01"]
lists = [[], ["a"], ["/run"], ["kept"], [1], [0.5], [2027-06-01], [[]], [["a"]], [[1]], [{}]]
tables = [{}, { a = "b" }, { a = 1 }, { a = "Cargo.toml" }, { evaluate = 1 }, { evaluate = 0.5 }]
more = [{ a = { b = [true] } }, { a = 0.5 }, { a = 2027-06-01 }, { tier = "none" }, { ignore = [] }]
items = [[{ promiser = "a" }], [{ name = "a" }], [{ command = ["a"] }], [{ ready = "a" }]]
known = [[{ rule = "PM203", reason = "a" }], [{ rule = "PM203" }], [{ rule = "", reason = "a" }]]
"#;

/// What happens to one key.
#[derive(Debug)]
enum Change {
    Set(Value),
    Remove,
    Rename,
}

/// Applies a change to the key with this number, counted over all tables; false if there is none.
fn change(all: &mut Value, number: usize, change: &Change) -> bool {
    let (mut first, mut done) = (0, false);
    each_table(all, &mut |table| {
        let inside = number >= first && !done;
        let key = table.keys().nth(number.saturating_sub(first)).cloned();
        first += table.len();
        let Some(key) = key.filter(|_| inside) else {
            return;
        };
        done = true;
        let old = table.remove(&key);
        match (change, old) {
            (Change::Set(value), _) => drop(table.insert(key, value.clone())),
            (Change::Rename, Some(old)) => drop(table.insert("unknown".into(), old)),
            _ => {}
        }
    });
    done
}

/// Gives each key each value, and counts the configurations that the reader accepts.
fn compared(words: &Vocabulary, all: &Value) -> usize {
    let validator = validator(words);
    let values = parsed(VALUES);
    let mut changes = vec![Change::Remove, Change::Rename];
    for list in values.values().filter_map(Value::as_array) {
        changes.extend(list.iter().cloned().map(Change::Set));
    }
    let mut accepted = 0;
    for number in 0.. {
        for what in &changes {
            let mut changed = all.clone();
            if !change(&mut changed, number, what) {
                return accepted;
            }
            let table = changed.as_table().expect("a table");
            let read = read(table, words, root()).is_ok();
            let valid = validator.is_valid(&json(&changed));
            assert!(valid || !read, "only the reader accepts {what:?}:\n{table}");
            accepted += usize::from(read);
        }
    }
    accepted
}

#[test]
fn what_the_reader_accepts_the_schema_accepts() {
    let all = Value::Table(parsed(ALL));
    assert!(compared(&VOCABULARY, &all) > 500);
}

#[test]
fn the_same_holds_for_a_dialect_with_typed_values() {
    let mut all = Value::Table(parsed(&ALL.replace("promise-module", "typed")));
    // This dialect has no exact JSON.
    each_table(&mut all, &mut |table| drop(table.remove("raw_attributes")));
    assert!(compared(&TYPED, &all) > 500);
}
