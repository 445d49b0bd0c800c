//! Names in a description that a type or a schema does not have.

use crate::shown::Shown;
use crate::there::there_are;
use puppet_types::{Behaviour, Definition};
use stickler_suite::config::{Config, Example};

/// What is said of a name that a description uses and a type or a schema does not have.
pub(crate) fn misnamed(shown: &Shown, config: &Config) -> Option<String> {
    let mut examples = config.examples.iter().chain(&config.invalid);
    examples
        .find_map(|example| attribute(shown, config, example))
        .or_else(|| connection(shown, config))
}

fn attribute(shown: &Shown, config: &Config, example: &Example) -> Option<String> {
    let kind = example.kind.as_ref().or(config.subject.kinds.first())?;
    let definition = shown.definition(kind)?;
    let settable = names(&definition, |behaviour| behaviour != Behaviour::ReadOnly);
    let mut given = example.attributes.iter().map(|(name, _)| &**name);
    let unknown = given.find(|name| is_unknown(&definition, name))?;
    Some(format!(
        "the example \"{}\" has the attribute \"{unknown}\", which the type `{kind}` does not have; {}",
        example.name,
        there_are(unknown, settable.iter().copied())
    ))
}

fn connection(shown: &Shown, config: &Config) -> Option<String> {
    // What is to be refused may be refused for that.
    let mut meant = config.targets.iter().filter(|target| !target.invalid);
    meant.find_map(|target| {
        let schema = shown.schema(&target.transport)?;
        let known = names(&schema, |_| true);
        let mut given = target.connection_info.iter().map(|(name, _)| &**name);
        let unknown = given.find(|name| is_unknown(&schema, name))?;
        Some(format!(
            "[target.{}] has \"{unknown}\" in its `connection_info`, which the transport `{}` does not have; {}",
            target.name,
            target.transport,
            there_are(unknown, known.iter().copied())
        ))
    })
}

fn names(definition: &Definition, is_such: impl Fn(Behaviour) -> bool) -> Vec<&str> {
    let all = definition.attributes.iter();
    let such = all.filter(|one| is_such(one.behaviour));
    such.map(|one| &*one.name).collect()
}

/// Where a definition has no attributes that can be read, its rules say so.
fn is_unknown(definition: &Definition, name: &str) -> bool {
    !definition.attributes.is_empty() && definition.attribute(name).is_none()
}
