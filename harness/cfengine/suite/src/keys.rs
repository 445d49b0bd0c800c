//! The keys of `stickler.toml` that promise modules have beyond those of all dialects.

use cfengine_protocol::release::RELEASES;
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

/// The versions of the agents that the module is meant for; none is all.
pub(crate) const AGENTS: &str = "agents";

static SUBJECT: [Key<Subject>; 6] = [
    PATH,
    INTERPRETER.about("The program that runs the module, as in a promise block."),
    COMMAND,
    EXECUTES
        .about("Attributes (or `\"promiser\"`) whose values are commands that the module runs."),
    OPEN_ATTRIBUTES,
    Key::new(
        AGENTS,
        "The versions of cf-agent that the module is meant for: `\"3.24\"` is the newest measured one of 3.24. Without this key, these are all measured ones.",
        Form::Other {
            schema: |_| {
                let text = json!({ "enum": versions() });
                json!({ "type": "array", "items": text, "minItems": 1 })
            },
            read: agents,
        },
    ),
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

/// The measured versions, and their series.
fn versions() -> Vec<&'static str> {
    let all = measured().flat_map(|version| {
        let series = version
            .rsplit_once('.')
            .map_or(version, |(series, _)| series);
        [series, version]
    });
    all.collect()
}

fn measured() -> impl Iterator<Item = &'static str> {
    RELEASES.iter().map(|release| release.version)
}

/// Versions that were measured, at least one.
fn agents(reader: &Reader<'_>, value: Field<'_>, subject: &mut Subject) -> Result<(), ConfigError> {
    let measured = || format!("measured are {}", measured().collect::<Vec<_>>().join(", "));
    let named = reader.strings(value, "a list of versions")?;
    if named.is_empty() {
        let message = "no version of cf-agent is named".to_owned();
        return Err(reader.error(value.span(), message, Some(measured())));
    }
    if let Some(other) = named.iter().find(|it| !versions().contains(&it.as_str())) {
        let message = format!("the behaviour of cf-agent {other} was not measured");
        return Err(reader.error_in(other, message, Some(measured())));
    }
    subject.own.set(AGENTS, named);
    Ok(())
}

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
