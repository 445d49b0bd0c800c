//! The keys of `stickler.toml` that promise modules have beyond those of all dialects.

use cfengine_protocol::wire::json;
use cfengine_protocol::wire::value::from_json;
use serde_json::json;
use stickler_suite::config::keys::{COMMAND, EXECUTES, INTERPRETER, OPEN_ATTRIBUTES, PATH};
use stickler_suite::config::{ConfigError, Example, Field, Form, Key, Keys, Reader, Subject};
use stickler_transcript::Value;

pub(crate) const KEYS: Keys = Keys {
    subject: &SUBJECT,
    item: &ITEM,
    outcome: &OUTCOME,
    ..Keys::NONE
};

static SUBJECT: [Key<Subject>; 5] = [
    PATH,
    INTERPRETER.about("The program that runs the module, as in a promise block."),
    COMMAND,
    EXECUTES
        .about("Attributes (or `\"promiser\"`) whose values are commands that the module runs."),
    OPEN_ATTRIBUTES,
];

static ITEM: [Key<Example>; 1] = [Key::new(
    "raw_attributes",
    "Further attributes as the text of a JSON object, sent as written.",
    Form::Other {
        schema: |_| json!({ "type": "string" }),
        read: raw_attributes,
    },
)];

static OUTCOME: [Key<Example>; 1] = [Key::new(
    "classes",
    "Result classes that the first evaluation defines; it may define more.",
    Form::Texts(|example, classes| example.classes = classes),
)];

fn raw_attributes(
    reader: &Reader<'_>,
    value: Field<'_>,
    example: &mut Example,
) -> Result<(), ConfigError> {
    let text = reader.string(value, "a JSON object, as text")?;
    let parsed = json::parse(text.as_bytes())
        .map_err(|error| reader.error(value.span(), format!("this is not JSON: {error}"), None))?;
    let Value::Object(members) = from_json(&parsed) else {
        return Err(reader.error(
            value.span(),
            "this JSON is not an object".into(),
            Some("write '{\"name\": value, …}'".into()),
        ));
    };
    let members = members.into_iter();
    let members = members.map(|(name, value)| (String::from_utf8_lossy(&name).into_owned(), value));
    example.attributes.extend(members);
    Ok(())
}
