//! Names that must fit each other: of examples, and of kinds.

use super::Reader;
use crate::config::{Config, ConfigError};

impl Reader<'_> {
    /// Checks that the module handles the kinds of all examples.
    pub(super) fn types_served(&self, config: &Config) -> Result<(), ConfigError> {
        let served = &config.subject.kinds;
        for example in config.examples.iter().chain(&config.invalid) {
            let Some(name) = &example.kind else {
                continue;
            };
            if !served.is_empty() && !served.contains(name) {
                let at = self.text.rfind(&name[..]).unwrap_or(0);
                return Err(self.error(
                    at..at + name.len(),
                    format!(
                        "[subject] does not serve the {} \"{name}\"",
                        self.words.kind
                    ),
                    Some(format!(
                        "it serves {}; for more than one write {} = [\"…\", \"…\"]",
                        served.join(", "),
                        self.words.kinds_key
                    )),
                ));
            }
        }
        Ok(())
    }

    /// Checks that the targets of all examples are described.
    pub(super) fn targets_there(&self, config: &Config) -> Result<(), ConfigError> {
        for example in config.examples.iter().chain(&config.invalid) {
            let Some(name) = &example.target else {
                continue;
            };
            let needle = format!("\"{name}\"");
            let at = self.text.rfind(&needle).unwrap_or(0);
            let wrong = |message: String, help: String| {
                Err(self.error(at..at + needle.len(), message, Some(help)))
            };
            match config.targets.iter().find(|target| target.name == *name) {
                Some(target) if target.invalid => {
                    return wrong(
                        format!("[target.{name}] is invalid, so nothing lives on it"),
                        "name another target".to_owned(),
                    );
                }
                Some(_) => {}
                None => {
                    return wrong(
                        format!("there is no [target.{name}]"),
                        format!("describe it: [target.{name}] with transport and connection_info"),
                    );
                }
            }
        }
        Ok(())
    }

    /// Checks that names are unique, because people and expectations refer to examples by name.
    pub(super) fn names_once(&self, config: &Config) -> Result<(), ConfigError> {
        let names: Vec<&str> = config
            .examples
            .iter()
            .chain(&config.invalid)
            .map(|example| &example.name[..])
            .collect();
        for (index, name) in names.iter().enumerate() {
            if names[..index].contains(name) {
                let needle = format!("\"{name}\"");
                let at = self.text.rfind(&needle).unwrap_or(0);
                return Err(self.error(
                    at..at + needle.len(),
                    format!("two examples are called \"{name}\""),
                    Some("give each its own name".into()),
                ));
            }
        }
        for known in config.xfail.iter().chain(&config.waive) {
            if let Some(example) = &known.example
                && !names.contains(&&example[..])
            {
                let needle = format!("\"{example}\"");
                let at = self.text.rfind(&needle).unwrap_or(0);
                return Err(self.error(
                    at..at + needle.len(),
                    format!("there is no example \"{example}\""),
                    None,
                ));
            }
        }
        Ok(())
    }
}
