//! The JSON Schema of `stickler.toml` and the reader agree, for the keys of one dialect. The tests of each
//! dialect include this file.

use jsonschema::Validator;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use stickler_suite::Vocabulary;
use stickler_suite::config::{from_text, json_schema};
use toml::{Table, Value};

/// A dialect, and a file that has all its keys but those that would replace others.
pub struct Agreement {
    pub words: &'static Vocabulary,
    /// The keys, each with a value that both accept.
    pub all: &'static str,
    /// Lines of `all`, and those that may stand there instead: their keys replace those of `all`.
    pub instead: &'static [(&'static str, &'static str)],
    /// Keys of `all` whose tables may have any other key.
    pub open: &'static [&'static str],
}

/// The tests that hold for each dialect. `$described`: how many descriptions of it this repository has at least.
macro_rules! agree {
    ($agreement:expr, $described:expr) => {
        #[test]
        fn the_reader_reads_each_key_of_the_schema() {
            $agreement.holds_for_each_key();
        }

        #[test]
        fn both_reject_a_key_beside_one_that_replaces_it() {
            $agreement.holds_for_replaced_keys();
        }

        #[test]
        fn both_reject_unknown_keys() {
            $agreement.holds_for_unknown_keys();
        }

        #[test]
        fn the_schema_accepts_each_value_that_the_reader_accepts() {
            $agreement.holds_for_each_value();
        }

        #[test]
        fn both_accept_each_description_in_this_repository() {
            $agreement.holds_for_this_repository($described);
        }
    };
}

/// The folder of this repository.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// A folder with a file `Cargo.toml`.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

impl Agreement {
    fn schema(&self) -> serde_json::Value {
        serde_json::from_str(&json_schema(self.words)).expect("a schema is JSON")
    }

    fn validator(&self) -> Validator {
        jsonschema::draft7::meta::validate(&self.schema()).expect("a schema of draft 7");
        jsonschema::validator_for(&self.schema()).expect("a schema")
    }

    /// Why the reader rejects a configuration.
    fn read(&self, table: &Table, folder: &Path) -> Result<(), String> {
        let text = toml::to_string(table).expect("it can be written");
        from_text(&folder.join("stickler.toml"), &text, self.words)
            .map(drop)
            .map_err(|error| error.to_string())
    }

    #[track_caller]
    fn both_accept(&self, table: &Table, folder: &Path) {
        let read = self.read(table, folder);
        let errors: Vec<String> = self
            .validator()
            .iter_errors(&json(&Value::Table(table.clone())))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!((read, errors), (Ok(()), Vec::new()), "{table}");
    }

    #[track_caller]
    fn both_reject(&self, table: &Table) {
        let read = self.read(table, root());
        let valid = self
            .validator()
            .is_valid(&json(&Value::Table(table.clone())));
        assert!(read.is_err() && !valid, "{read:?} {valid}\n{table}");
    }

    /// The reader reads each key of the schema.
    pub fn holds_for_each_key(&self) {
        let all = [parsed(self.all), parsed(&self.other())];
        all.iter().for_each(|all| self.both_accept(all, root()));
        let mut keys = BTreeSet::new();
        listed(&self.schema(), "", &mut keys);
        assert!(keys.len() > 40, "{keys:?}");
        for key in keys {
            let mut all = all.iter();
            let held = all.any(|all| holds(&Value::Table(all.clone()), &key[1..]));
            assert!(held, "{key}");
        }
    }

    /// `all` with each of its replaceable keys replaced.
    fn other(&self) -> String {
        let mut other = self.all.to_owned();
        for (from, to) in self.instead {
            assert!(other.contains(from), "{from}");
            other = other.replacen(from, to, 1);
        }
        other
    }

    /// Both reject a key beside one that replaces it.
    pub fn holds_for_replaced_keys(&self) {
        for (from, to) in self.instead {
            let joint = if from.ends_with('\n') { "" } else { ", " };
            let both = format!("{from}{joint}{to}");
            self.both_reject(&parsed(&self.all.replacen(from, &both, 1)));
        }
    }

    /// Both reject unknown keys in each table.
    pub fn holds_for_unknown_keys(&self) {
        let mut number = 0;
        loop {
            let (mut at, mut free) = (0, true);
            let mut all = Value::Table(parsed(self.all));
            each_table(&mut all, &mut |table| {
                let changed = at == number && !table.is_empty();
                free = if changed {
                    self.open.iter().any(|key| table.contains_key(*key))
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
                self.both_reject(all.as_table().expect("a table"));
            }
            number += 1;
        }
        assert!(number > 10);
    }

    /// The schema accepts what the reader accepts, whatever the value of each key.
    pub fn holds_for_each_value(&self) {
        let all = Value::Table(parsed(self.all));
        let validator = self.validator();
        let values = parsed(VALUES);
        let mut changes = vec![Change::Remove, Change::Rename];
        for list in values.values().filter_map(Value::as_array) {
            changes.extend(list.iter().cloned().map(Change::Set));
        }
        let mut accepted = 0;
        'keys: for number in 0.. {
            for what in &changes {
                let mut changed = all.clone();
                if !change(&mut changed, number, what) {
                    break 'keys;
                }
                let table = changed.as_table().expect("a table");
                let read = self.read(table, root()).is_ok();
                let valid = validator.is_valid(&json(&changed));
                assert!(valid || !read, "only the reader accepts {what:?}:\n{table}");
                accepted += usize::from(read);
            }
        }
        assert!(accepted > 500);
    }

    /// Both reject what becomes of the file if one text replaces another in it.
    pub fn holds_for_mistakes(&self, mistakes: &[(&str, &str)]) {
        for (from, to) in mistakes {
            let changed = self.all.replace(from, to);
            assert_ne!(changed, self.all, "{from}");
            self.both_reject(&parsed(&changed));
        }
    }

    /// Both accept each description of this dialect in this repository: at least so many, in files and on pages.
    pub fn holds_for_this_repository(&self, least: [usize; 2]) {
        let mut found = Vec::new();
        for folder in ["fixtures", "docs"] {
            files(&top().join(folder), &mut found);
        }
        let (mut described, mut shown) = (0, 0);
        for file in found {
            if file.ends_with("stickler.toml") {
                let mut table = parsed(&fs::read_to_string(&file).expect("a file"));
                if !self.is_own(&table) {
                    continue;
                }
                // Some subjects are compiled first.
                without_path(&mut table);
                self.both_accept(&table, file.parent().expect("a folder"));
                described += 1;
            } else if file.extension().is_some_and(|end| end == "md") {
                for block in blocks(&file) {
                    let mut table = parsed(&block);
                    if !self.is_own(&table) {
                        continue;
                    }
                    // The example's files exist only for its reader.
                    without_path(&mut table);
                    table.remove("fake");
                    self.both_accept(&table, root());
                    shown += 1;
                }
            }
        }
        assert!(
            described >= least[0] && shown >= least[1],
            "{described} {shown}"
        );
    }

    /// Is this a description of a subject of this dialect? Without items, rules and devices, it may
    /// describe any subject.
    fn is_own(&self, table: &Table) -> bool {
        let words = self.words;
        let of = |name: &str| {
            table
                .get(name)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        let named = table
            .get("subject")
            .and_then(|subject| subject.get("dialect"));
        let mut items = of("example").chain(of("invalid"));
        let mut known = of("xfail").chain(of("waive"));
        let is_ours = |rule: &Value| rule.as_str().is_some_and(|code| (words.has_rule)(code));
        let has_target = table.contains_key("target");
        // That is a file of `stickler equal`.
        let is_case = table.contains_key("intent");
        !is_case
            && named.is_none_or(|named| named.as_str() == Some(words.dialect))
            && items.all(|item| {
                // `name` identifies an item of one dialect, and is the example's in others.
                let keys = [words.identity_key, words.label_key];
                keys.iter().all(|key| item.get(key).is_some())
            })
            && known.all(|known| known.get("rule").is_some_and(is_ours))
            && (!has_target || words.keys.file.iter().any(|key| key.name == "target"))
    }
}

/// Takes the subject's path out.
fn without_path(table: &mut Table) {
    let subject = table.get_mut("subject").and_then(Value::as_table_mut);
    subject.map(|subject| subject.remove("path"));
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

fn parsed(text: &str) -> Table {
    text.parse()
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
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

/// The `toml` blocks of a page.
fn blocks(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).expect("a page");
    let blocks = text.split("```toml").skip(1);
    blocks
        .filter_map(|block| {
            let (_, block) = block.split_once('\n')?;
            Some(block.split_once("```")?.0.to_owned())
        })
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
