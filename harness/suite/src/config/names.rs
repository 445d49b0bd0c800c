//! Names that must fit each other: of examples, and of kinds.

use super::reader::Reader;
use super::{Config, ConfigError, did_you_mean, listing};

/// Checks that the subject handles the kinds that the file names.
pub(super) fn served(reader: &Reader<'_>, config: &Config) -> Result<(), ConfigError> {
    let served = &config.subject.kinds;
    let examples = config.examples.iter().chain(&config.invalid);
    let examples = examples.filter_map(|example| example.kind.as_ref());
    let known = config.xfail.iter().chain(&config.waive);
    let mut named = examples.chain(known.filter_map(|known| known.kind.as_ref()));
    let unknown = named.find(|kind| !served.is_empty() && !served.contains(kind));
    let Some(name) = unknown else {
        return Ok(());
    };
    let near = did_you_mean(name, served.iter().map(String::as_str));
    Err(reader.error_in(
        name,
        format!(
            "[subject] does not serve the {} \"{name}\"",
            reader.words.kind
        ),
        Some(format!(
            "{}it serves {}; for more than one write {} = [\"…\", \"…\"]",
            near.map_or_else(String::new, |near| format!("{near} ")),
            served.join(", "),
            reader.words.kinds_key
        )),
    ))
}

/// Checks that names are unique, because people and expectations refer to examples by name.
pub(super) fn once(reader: &Reader<'_>, config: &Config) -> Result<(), ConfigError> {
    let names: Vec<&str> = config
        .examples
        .iter()
        .chain(&config.invalid)
        .map(|example| &example.name[..])
        .collect();
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            return Err(reader.error_in(
                name,
                format!("two examples are called \"{name}\""),
                Some("give each its own name".into()),
            ));
        }
    }
    for known in config.xfail.iter().chain(&config.waive) {
        if let Some(example) = &known.example
            && !names.contains(&&example[..])
        {
            return Err(reader.error_in(
                example,
                format!(
                    "there is no example \"{example}\"; there are: {}",
                    listing(names.iter().copied())
                ),
                did_you_mean(example, names.iter().copied()),
            ));
        }
    }
    Ok(())
}
