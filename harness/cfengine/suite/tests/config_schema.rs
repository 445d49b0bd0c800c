//! The JSON Schema of `stickler.toml` and the reader agree.

use cfengine_suite::VOCABULARY;
use jsonschema::Validator;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use stickler_suite::Vocabulary;
use stickler_suite::config::{from_text, json_schema};
use toml::{Table, Value};

/// A dialect with typed values and without exact JSON.
static TYPED: Vocabulary = Vocabulary {
    dialect: "typed",
    typed: true,
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
                // The example's module exists only for its reader.
                let table = parsed(&block.replace("path = \"file_content.py\"\n", ""));
                both_accept(&table, root());
                number += 1;
            }
        }
    }
    assert!(number > 10);
}

/// A value for any key.
fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-z./{}]{0,6}",
        Just("2027-06-01".to_owned()),
        Just("kept".to_owned()),
        Just("overlay".to_owned()),
        Just("/run".to_owned()),
        Just("{}".to_owned()),
    ];
    let leaf = prop_oneof![
        text.prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        (-3_i64..90_000).prop_map(Value::from),
        (-1.0..90_000.0).prop_map(Value::from),
        Just(Value::Datetime("2027-06-01".parse().expect("a date"))),
        Just(Value::Datetime(
            "2027-06-01T01:02:03Z".parse().expect("a date")
        )),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,3}", inner, 0..3)
                .prop_map(|table| Value::Table(table.into_iter().collect())),
        ]
    })
}

/// What happens to one key of one table.
#[derive(Clone, Debug)]
enum Change {
    Set(Value),
    Remove,
    Rename(String),
}

fn any_change() -> impl Strategy<Value = Change> {
    prop_oneof![
        6 => any_value().prop_map(Change::Set),
        1 => Just(Change::Remove),
        1 => "[a-z_]{1,8}".prop_map(Change::Rename),
    ]
}

/// Applies a change to one key, counted over all tables.
fn changed(mut all: Value, number: usize, change: &Change) -> Table {
    let mut total = 0;
    each_table(&mut all, &mut |table| total += table.len());
    let (number, mut at) = (number % total, 0);
    each_table(&mut all, &mut |table| {
        let key = table.keys().nth(number.wrapping_sub(at)).cloned();
        at += table.len();
        let Some(key) = key else {
            return;
        };
        // Only one table is changed.
        at = usize::MAX / 2;
        let old = table.remove(&key);
        match (change, old) {
            (Change::Set(value), _) => drop(table.insert(key, value.clone())),
            (Change::Rename(name), Some(old)) => drop(table.insert(name.clone(), old)),
            _ => {}
        }
    });
    match all {
        Value::Table(table) => table,
        _ => Table::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn what_the_reader_accepts_the_schema_accepts(
        number in 0_usize..1000,
        change in any_change(),
        typed in any::<bool>(),
    ) {
        static VALIDATORS: LazyLock<[Validator; 2]> =
            LazyLock::new(|| [validator(&VOCABULARY), validator(&TYPED)]);
        let words = if typed { &TYPED } else { &VOCABULARY };
        let text = ALL.replace("\"promise-module\"", &format!("{:?}", words.dialect));
        let mut all = parsed(&text);
        if typed {
            for table in ["example", "invalid"] {
                let examples = all.get_mut(table).and_then(Value::as_array_mut);
                let example = examples.and_then(|all| all[0].as_table_mut());
                example.expect("an example").remove("raw_attributes");
            }
        }
        let table = changed(Value::Table(all), number, &change);
        let valid = VALIDATORS[usize::from(typed)].is_valid(&json(&Value::Table(table.clone())));
        let read = read(&table, words, root());
        prop_assert!(valid || read.is_err(), "the schema rejects, the reader accepts:\n{table}");
    }
}
