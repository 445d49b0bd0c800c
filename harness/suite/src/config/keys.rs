//! The keys of `stickler.toml`, with the JSON Schema of each. The reader accepts no others.

use crate::vocabulary::Vocabulary;
use serde_json::{Value, json};
use std::borrow::Cow;

/// Longest deadline that an author may set, in seconds.
pub(super) const DAY: f64 = 86_400.0;

/// A key of a table.
pub(super) struct Key {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The schema of its value.
    pub schema: Value,
}

fn key(name: &'static str, about: &str, mut schema: Value) -> Key {
    if let Some(schema) = schema.as_object_mut() {
        schema.shift_insert(0, "description".to_owned(), about.into());
    }
    Key {
        name: name.into(),
        schema,
    }
}

/// The tables of the file.
pub(super) fn root(words: &Vocabulary) -> Vec<Key> {
    let item = words.item;
    let required = [words.identity_key];
    let valid = example(words);
    // What is invalid is never evaluated, so it has no outcome.
    let invalid = example(words);
    let invalid = invalid
        .into_iter()
        .filter(|key| !OUTCOME.contains(&&key.name[..]));
    let mut keys = vec![
        key(
            "subject",
            &format!("The {} under test.", words.subject),
            table(subject(words), &[]),
        ),
        key(
            "fake",
            "Programs that replace commands: a name, and a path relative to this file.",
            table_of(&json!({ "type": "string" })),
        ),
        key(
            "service",
            "Servers on the session's loopback network.",
            list(&table(service(), &[])),
        ),
        key(
            "target",
            &format!("Devices on which a {item} may live: a name, and how to connect to it."),
            table_of(&table(target(), &["transport"])),
        ),
        key(
            "example",
            &format!("Valid examples of a {item}."),
            list(&table(valid, &required)),
        ),
        key(
            "invalid",
            &format!("Examples of a {item} that validation must reject."),
            list(&table(invalid, &required)),
        ),
        key(
            "xfail",
            "Known failures. If one no longer occurs, the run fails.",
            list(&table(known(), &["rule", "reason"])),
        ),
        key(
            "waive",
            "Rules that do not apply.",
            list(&table(known(), &["rule", "reason"])),
        ),
        key("effects", "Which effects count.", table(effects(), &[])),
        key(
            "sandbox",
            &format!("Where the {} runs.", words.subject),
            table(sandbox(), &[]),
        ),
    ];
    keys.retain(|key| words.devices || key.name != "target");
    keys
}

/// `[subject]`
pub(super) fn subject(words: &Vocabulary) -> Vec<Key> {
    let (subject, kind) = (words.subject, words.kind);
    let mut keys = vec![
        key(
            "dialect",
            "The kind of subject.",
            json!({ "enum": [words.dialect] }),
        ),
        key(
            words.kind_key,
            &format!("The {kind} that the {subject} serves."),
            json!({ "type": "string" }),
        ),
        key(
            words.kinds_key,
            &format!("The {kind}s that the {subject} serves."),
            texts(),
        ),
        key(
            "interpreter",
            &format!("The program that runs the {subject}."),
            json!({ "type": "string" }),
        ),
        key(
            "interpreters",
            &format!("Other programs with which the {subject} has to run as well."),
            texts(),
        ),
        key(
            "path",
            &format!("The {subject}, relative to this file."),
            json!({ "type": "string" }),
        ),
        key(
            "command",
            "A whole command line instead of `interpreter` and `path`.",
            command(),
        ),
        key(
            "env",
            "Environment variables in addition to `PATH`, `HOME`, `TMPDIR` and `LANG`.",
            table_of(&json!({ "type": "string" })),
        ),
        key(
            "executes",
            &format!("Attributes whose values are commands that the {subject} runs."),
            texts(),
        ),
        key(
            "sensitive",
            "Attributes whose values are secrets: never stored or shown.",
            texts(),
        ),
        key(
            "open_attributes",
            &format!("Does the {subject} accept any attribute name?"),
            json!({ "type": "boolean" }),
        ),
        key(
            "deadlines",
            "How long each kind of message may take, in seconds.",
            table(deadlines(words), &[]),
        ),
    ];
    keys.retain(|key| words.interpreters || key.name != "interpreters");
    keys
}

/// `[subject] deadlines`
pub(super) fn deadlines(words: &Vocabulary) -> Vec<Key> {
    let seconds = json!({ "type": "number", "exclusiveMinimum": 0, "maximum": DAY });
    let phases = words.phases.iter();
    phases
        .map(|(phase, _)| Key {
            name: phase.to_string().into(),
            schema: seconds.clone(),
        })
        .collect()
}

/// `[sandbox]`
pub(super) fn sandbox() -> Vec<Key> {
    vec![
        key(
            "tier",
            "The sandbox; by default the best that the machine supports.",
            json!({ "enum": ["overlay", "copy", "none"] }),
        ),
        key(
            "network",
            "Does the subject keep access to the machine's network?",
            json!({ "type": "boolean" }),
        ),
        key(
            "expose",
            "Absolute paths of this machine that the subject may use and change.",
            json!({ "type": "array", "items": { "type": "string", "pattern": "^/" } }),
        ),
    ]
}

/// `[effects]`
pub(super) fn effects() -> Vec<Key> {
    vec![key(
        "ignore",
        "Globs of paths whose changes do not count.",
        texts(),
    )]
}

/// `[[service]]`
pub(super) fn service() -> Vec<Key> {
    vec![
        key(
            "command",
            "Its command line; file names in it are relative to this file.",
            command(),
        ),
        key(
            "ready",
            "An address that accepts connections when the service is ready.",
            json!({ "type": "string" }),
        ),
    ]
}

/// `[target.NAME]`
pub(super) fn target() -> Vec<Key> {
    vec![
        key(
            "transport",
            "The name of the transport that connects to it.",
            json!({ "type": "string", "minLength": 1 }),
        ),
        key(
            "connection_info",
            "What the transport needs to know; `{dir}` stands for an empty directory.",
            table_of(&json!({ "$ref": "#/definitions/attribute" })),
        ),
        key(
            "invalid",
            "Must the transport refuse this connection info?",
            json!({ "type": "boolean" }),
        ),
    ]
}

/// The keys about evaluations, which `[[invalid]]` does not have.
pub(super) const OUTCOME: [&str; 4] = ["expect", "creates", "absent", "verify"];

/// `[[example]]`, and `[[invalid]]` except for [`OUTCOME`].
pub(super) fn example(words: &Vocabulary) -> Vec<Key> {
    let item = words.item;
    let mut keys = vec![
        key(
            "name",
            "A name that no other example has.",
            json!({ "type": "string" }),
        ),
        key(
            words.kind_key,
            &format!("The {}, if it is not the first of [subject].", words.kind),
            json!({ "type": "string" }),
        ),
        key(
            words.identity_key,
            &format!(
                "The {}; `{{dir}}` stands for an empty directory.",
                words.identity_key
            ),
            json!({ "type": "string" }),
        ),
        key(
            words.attributes_key,
            &format!("The attributes of the {item}."),
            table_of(&json!({ "$ref": "#/definitions/attribute" })),
        ),
        key(
            "raw_attributes",
            "Further attributes as the text of a JSON object, sent as written.",
            json!({ "type": "string" }),
        ),
        key(
            "target",
            &format!("The name of the [target] on which the {item} lives."),
            json!({ "type": "string" }),
        ),
        key(
            "setup",
            "Commands that prepare the directory.",
            list(&command()),
        ),
        key(
            "expect",
            "One outcome per evaluation; the last repeats.",
            json!({ "type": "array", "items": { "enum": words.outcome_words() } }),
        ),
        key(
            "creates",
            "What is at each of these paths after the first evaluation.",
            table_of(&table(created(), &[])),
        ),
        key(
            "absent",
            "Paths at which nothing is after the first evaluation.",
            texts(),
        ),
        key(
            "verify",
            "Commands that succeed after the first evaluation.",
            list(&command()),
        ),
    ];
    // Without JSON, nothing can be sent as written.
    keys.retain(|key| match &key.name[..] {
        "raw_attributes" => words.json.is_some(),
        "target" => words.devices,
        _ => true,
    });
    keys
}

/// An entry of `creates`.
pub(super) fn created() -> Vec<Key> {
    let name_or_number = || json!({ "type": ["string", "integer"] });
    vec![
        key(
            "type",
            "Its type.",
            json!({ "enum": ["file", "directory", "link"] }),
        ),
        key(
            "mode",
            "Its permissions in octal digits.",
            json!({ "type": "string", "pattern": "^[0-7]{1,5}$" }),
        ),
        key("owner", "Its owner: a name or a number.", name_or_number()),
        key("group", "Its group: a name or a number.", name_or_number()),
        key(
            "content",
            "The content of a file.",
            json!({ "type": "string" }),
        ),
        key("target", "Where a link leads.", json!({ "type": "string" })),
    ]
}

/// `[[xfail]]` and `[[waive]]`
pub(super) fn known() -> Vec<Key> {
    vec![
        key(
            "rule",
            "The rule's code; `stickler rules` lists all.",
            json!({ "type": "string", "minLength": 1 }),
        ),
        key(
            "reason",
            "Why.",
            json!({ "type": "string", "minLength": 1 }),
        ),
        key(
            "until",
            "The last day on which it holds.",
            json!({ "type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$" }),
        ),
        key(
            "example",
            "Only for the example of this name.",
            json!({ "type": "string" }),
        ),
        key(
            "field",
            "Only for this attribute.",
            json!({ "type": "string" }),
        ),
    ]
}

/// The values of attributes.
pub(super) fn attribute(words: &Vocabulary) -> Value {
    // Elsewhere, numbers travel as text, and a float has no text of its own.
    let number = if words.typed { "number" } else { "integer" };
    let inner = json!({ "$ref": "#/definitions/attribute" });
    json!({
        "type": ["string", "boolean", number, "array", "object"],
        "items": inner,
        "additionalProperties": inner,
    })
}

fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn command() -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn table_of(values: &Value) -> Value {
    json!({ "type": "object", "additionalProperties": values })
}

/// A table with exactly these keys.
pub(super) fn table(keys: impl IntoIterator<Item = Key>, required: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> = keys
        .into_iter()
        .map(|key| (key.name.into_owned(), key.schema))
        .collect();
    let mut table = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    if !required.is_empty() {
        table["required"] = json!(required);
    }
    table
}
