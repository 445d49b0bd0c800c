//! The keys of `stickler.toml` that Puppet modules have beyond those of all dialects.

use stickler_suite::config::keys::{COMMAND, EXECUTES, INTERPRETER, PATH, TARGET};
use stickler_suite::config::{
    Config, ConfigError, Device, Example, Form, Key, Keys, Reader, Subject,
};

pub(crate) const KEYS: Keys = Keys {
    file: &FILE,
    subject: &SUBJECT,
    item: &ITEM,
    target: &DEVICE,
    fit: targets_there,
    ..Keys::NONE
};

/// The key of other Rubies.
pub(crate) const INTERPRETERS: &str = "interpreters";

static FILE: [Key<Config>; 1] = [TARGET];

static SUBJECT: [Key<Subject>; 5] = [
    PATH.about("The root of the Puppet module, relative to this file."),
    INTERPRETER.about("The Ruby that runs the providers."),
    Key::new(
        INTERPRETERS,
        "Other Rubies with which the types have to work as well (RA806).",
        Form::Texts(|subject, rubies| subject.own.set(INTERPRETERS, rubies)),
    ),
    COMMAND
        .about("The command line of a provider in another language, instead of `path`.")
        .replaces(INTERPRETERS),
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
        "The name of the transport that connects to it, or of an older module's class for devices.",
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
