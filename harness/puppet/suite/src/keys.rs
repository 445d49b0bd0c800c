//! The keys of `stickler.toml` that Puppet modules have beyond those of all dialects.

use serde_json::json;
use stickler_suite::config::keys::{COMMAND, EXECUTES, INTERPRETER, PATH};
use stickler_suite::config::{
    Config, ConfigError, Device, Example, Field, Form, Key, Keys, Reader, Subject, Table, table_of,
};

pub(crate) const KEYS: Keys = Keys {
    file: &FILE,
    subject: &SUBJECT,
    item: &ITEM,
    fit: targets_there,
    ..Keys::NONE
};

/// The key of other Rubies.
pub(crate) const INTERPRETERS: &str = "interpreters";

static FILE: [Key<Config>; 1] = [Key::new(
    "target",
    "Devices on which a {item} may live: a name, and how to connect to it.",
    Form::Other {
        schema: |words| json!({ "type": "object", "additionalProperties": table_of(&DEVICE, words) }),
        read: targets,
    },
)];

static SUBJECT: [Key<Subject>; 5] = [
    PATH.about("The root of the Puppet module, relative to this file."),
    INTERPRETER.about("The Ruby that runs the providers."),
    Key::new(
        INTERPRETERS,
        "Other Rubies with which the types have to work as well (RA806).",
        Form::Texts(|subject, rubies| subject.own.set(INTERPRETERS, rubies)),
    ),
    COMMAND.about("The command line of a provider in another language, instead of `path`."),
    EXECUTES,
];

static ITEM: [Key<Example>; 1] = [Key::new(
    "target",
    "The name of the `[target]` on which the {item} lives.",
    Form::Text(|example, target| example.target = Some(target)),
)];

/// `[target.NAME]`
static DEVICE: [Key<Device>; 3] = [
    Key::required(
        "transport",
        "The name of the transport that connects to it.",
        Form::Name(|device, transport| device.transport = transport),
    ),
    Key::new(
        "connection_info",
        "What the transport needs to know; `{dir}` stands for an empty directory.",
        Form::Values(|device, values| device.connection_info = values),
    ),
    Key::new(
        "invalid",
        "Must the transport refuse this connection info?",
        Form::Truth(|device, invalid| device.invalid = invalid),
    ),
];

fn targets(reader: &Reader<'_>, value: Field<'_>, config: &mut Config) -> Result<(), ConfigError> {
    for (name, value, _) in reader.entries(value, "target")? {
        let table = format!("target.{name}");
        let mut device = Device {
            name,
            ..Device::default()
        };
        reader.read(value, Table::One(&table), &DEVICE, &mut device)?;
        config.targets.push(device);
    }
    Ok(())
}

/// Checks that the targets of all examples are described.
fn targets_there(reader: &Reader<'_>, config: &Config) -> Result<(), ConfigError> {
    let examples = config.examples.iter().chain(&config.invalid);
    for name in examples.filter_map(|example| example.target.as_ref()) {
        let (message, help) = match config.targets.iter().find(|target| target.name == *name) {
            Some(target) if target.invalid => (
                format!("[target.{name}] is invalid, so nothing lives on it"),
                "name another target".to_owned(),
            ),
            Some(_) => continue,
            None => (
                format!("there is no [target.{name}]"),
                format!("describe it: [target.{name}] with transport and connection_info"),
            ),
        };
        return Err(reader.error_in(name, message, Some(help)));
    }
    Ok(())
}
