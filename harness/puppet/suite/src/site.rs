//! Where resources live: here, or on a target that a transport connects to.

use crate::altered::sent;
use crate::find::folder;
use crate::resource;
use crate::secret;
use puppet_protocol::{phase, purpose, request};
use puppet_types::{Definition, Value};
use stickler_suite::config::{Config, Device, Example};
use stickler_suite::{CaseBuilder, Instance, Setting, fill_value, scratch_dir};
use stickler_transcript::{Key, Send, Value as Sent};

/// A type, and the target on which its resources live.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub kind: &'a str,
    pub target: Option<&'a str>,
}

impl<'a> From<&'a Instance> for Site<'a> {
    fn from(item: &'a Instance) -> Self {
        Site {
            kind: &item.kind,
            target: item.target.as_deref(),
        }
    }
}

impl Site<'_> {
    /// The key of the exchange that builds the provider.
    pub fn open_key(self) -> Key {
        purpose::OPEN.of(&self.name())
    }

    /// The key of the exchange that builds an instance which only looks.
    pub fn look_key(self) -> Key {
        purpose::LOOK.of(&self.name())
    }

    fn name(self) -> String {
        match self.target {
            None => self.kind.to_owned(),
            Some(target) => format!("{}@{target}", self.kind),
        }
    }
}

/// What is sent in place of a secret, to see what becomes of it.
pub(crate) const WRONG: &str = "stickler-wrong-7f3a";

/// The examples of a type.
fn examples<'a>(config: &'a Config, kind: &'a str) -> impl Iterator<Item = &'a Example> {
    let first = config.subject.kinds.first();
    config.examples.iter().filter(move |example| {
        let own = example.kind.as_ref().or(first);
        own.is_some_and(|own| own == kind)
    })
}

/// Has the author given an example of a type?
pub(crate) fn has_example(setting: &Setting<'_>, kind: &str) -> bool {
    examples(setting.config, kind).next().is_some()
}

/// The site of a type of which no resource is known.
pub(crate) fn usual<'a>(setting: &Setting<'a>, kind: &'a str) -> Site<'a> {
    let config = setting.config;
    let mut examples = examples(config, kind);
    let named = examples.find_map(|example| example.target.as_deref());
    let target = named.or_else(|| {
        // Without an example, the name of the provider's file tells.
        let providers = folder(config)?.join("lib/puppet/provider").join(kind);
        let has = |name: &str| providers.join(format!("{name}.rb")).exists();
        let mut targets = config.targets.iter().filter(|one| !one.invalid);
        let found = targets.find(|one| has(&one.transport) && !has(kind))?;
        Some(&found.name[..])
    });
    Site { kind, target }
}

/// The description of a target.
pub(crate) fn device<'c>(config: &'c Config, target: &str) -> Option<&'c Device> {
    config.targets.iter().find(|one| one.name == target)
}

/// What a transport needs to know, as Ruby code gets it.
pub(crate) fn info(device: &Device) -> Vec<(String, Value)> {
    let filled = |value: &Sent| resource::value(&fill_value(value, &scratch_dir(0)));
    let members = device.connection_info.iter();
    members
        .map(|(name, value)| (name.clone(), filled(value)))
        .collect()
}

pub(crate) fn hash(info: Vec<(String, Value)>) -> Value {
    let members = info.into_iter();
    Value::Hash(
        members
            .map(|(name, value)| (Value::symbol(&name), value))
            .collect(),
    )
}

/// A request that connects to a target. Code from before there were transports has a device alone.
pub(crate) fn connection(
    case: &CaseBuilder<'_>,
    key: Key,
    device: &Device,
    info: Vec<(String, Value)>,
) -> Send {
    let name = &device.transport;
    let info = hash(info);
    match is_older(case.setting().config, name) {
        true => {
            let line = request::device(case.steps(), name, info);
            case.message(phase::DEVICE, key, line)
        }
        false => {
            let line = request::connect(case.steps(), name, info, "require");
            case.message(phase::CONNECT, key, line)
        }
    }
}

/// The request that connects a run to a target of the description: its method and its parameters.
/// `None` if there is no such target.
pub fn reach(config: &Config, target: &str) -> Option<(&'static str, Value)> {
    let device = device(config, target)?;
    let name = &device.transport;
    let info = hash(info(device));
    let (method, key) = match is_older(config, name) {
        true => ("device", "name"),
        false => ("connect", "transport"),
    };
    let params = [(key, Value::string(name)), ("connection_info", info)];
    Some((method, Value::hash(params)))
}

/// Has the module a device of this name, and no transport?
pub(crate) fn is_older(config: &Config, name: &str) -> bool {
    let Some(lib) = folder(config).map(|folder| folder.join("lib/puppet")) else {
        return false;
    };
    let transport = lib.join("transport");
    let file = format!("{name}.rb");
    !transport.join("schema").join(&file).exists()
        && !transport.join(&file).exists()
        && lib
            .join("util/network_device")
            .join(name)
            .join("device.rb")
            .exists()
}

/// Do people keep secrets under such a key?
fn sounds_secret(key: &str) -> bool {
    let key = key.to_lowercase();
    let words = [
        "pass",
        "secret",
        "token",
        "key",
        "credential",
        "community",
        "auth",
    ];
    words.iter().any(|word| key.contains(word))
}

/// The values that definitions of types and schemas say are secret, and those of devices without a schema
/// whose keys sound so.
pub(crate) fn secrets(
    config: &Config,
    schema: impl Fn(&str) -> Option<Definition>,
    definition: impl Fn(&str) -> Option<Definition>,
) -> Vec<Sent> {
    let mut found = Vec::new();
    for device in &config.targets {
        let schema = schema(&device.transport);
        let is_secret = |name: &str| match &schema {
            Some(schema) => schema.attribute(name).is_some_and(|one| one.sensitive),
            // For a device from before there were transports, the usual names speak.
            None => is_older(config, &device.transport) && sounds_secret(name),
        };
        let secret = device.connection_info.iter();
        let secret = secret.filter(|(name, _)| is_secret(name));
        found.extend(secret.map(|(_, value)| value.clone()));
    }
    let first = config.subject.kinds.first();
    for example in config.examples.iter().chain(&config.invalid) {
        let kind = example.kind.as_ref().or(first);
        let Some(definition) = kind.and_then(|kind| definition(kind)) else {
            continue;
        };
        for (name, written) in &example.attributes {
            let given = resource::given(&definition, name, written);
            match &given {
                // As it was written, with what is filled in.
                Value::Sensitive(_) => found.push(written.clone()),
                nested => found.extend(secret::secrets(nested).into_iter().filter_map(sent)),
            }
        }
    }
    found
}
