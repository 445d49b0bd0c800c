//! The keys of `stickler.toml` that Puppet modules have beyond those of all dialects.

use puppet_runtime::Release;
use serde_json::json;
use stickler_suite::config::keys::{COMMAND, EXECUTES, INTERPRETER, PATH, TARGET};
use stickler_suite::config::{
    Config, ConfigError, Device, Example, Field, Form, Key, Keys, Reader, Subject, did_you_mean,
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

/// The releases of Puppet that the module is meant for, by their names.
pub(crate) const RUNTIMES: &str = "runtimes";

static FILE: [Key<Config>; 1] = [TARGET];

static SUBJECT: [Key<Subject>; 6] = [
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
    Key::new(
        RUNTIMES,
        "The releases of Puppet with puppet-resource_api that the module is meant for, such as `\"8+2.0\"`. Without this key, these are all measured ones.",
        Form::Other {
            schema: |_| {
                let text = json!({ "enum": releases() });
                json!({ "type": "array", "items": text, "minItems": 1 })
            },
            read: runtimes,
        },
    ),
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

/// The names of measured releases, long and short.
fn releases() -> Vec<&'static str> {
    let all = Release::MEASURED.into_iter();
    all.flat_map(|one| [&[one.name], one.short].concat())
        .collect()
}

/// Releases that were measured, at least one.
fn runtimes(
    reader: &Reader<'_>,
    value: Field<'_>,
    subject: &mut Subject,
) -> Result<(), ConfigError> {
    let measured = Release::MEASURED.map(|one| one.name).join(", ");
    let measured = format!("measured are {measured}");
    let named = reader.strings(value, "a list of releases")?;
    if named.is_empty() {
        let message = "no release of Puppet is named".to_owned();
        return Err(reader.error(value.span(), message, Some(measured)));
    }
    let mut all = Vec::new();
    for name in &named {
        let known = Release::named(name).filter(|one| Release::MEASURED.contains(one));
        let Some(known) = known else {
            let names = Release::MEASURED.map(|one| one.name);
            let meant = did_you_mean(name, names).filter(|_| name.len() > 2);
            let help = meant.map_or(measured.clone(), |meant| format!("{meant} {measured}"));
            let message = format!("the behaviour of Puppet {name} was not measured");
            return Err(reader.error_in(name, message, Some(help)));
        };
        all.push(known.name.to_owned());
    }
    subject.own.set(RUNTIMES, all);
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
