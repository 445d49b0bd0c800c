//! Stored runs of the real agent, for machines without it.

use crate::{Error, Mode, Seen};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The version of the format; this version and older ones can be read.
pub const VERSION: u32 = 1;

/// The runs of the real agent, by mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// The version of the format.
    pub version: u32,
    /// The policy's path, as given to agents.
    pub policy: String,
    /// Further options (such as `-D`, `-b`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The runs by mode.
    pub modes: BTreeMap<String, Seen>,
}

impl Stored {
    /// Creates an empty set of runs.
    pub fn new(policy: &str, options: &[String]) -> Self {
        Self {
            version: VERSION,
            policy: policy.to_owned(),
            options: options.to_vec(),
            modes: BTreeMap::new(),
        }
    }

    /// The run in a mode.
    pub fn get(&self, mode: Mode) -> Option<&Seen> {
        self.modes.get(mode.name())
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If the file can't be read or has invalid content.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|source| Error::File {
            path: path.to_owned(),
            source,
        })?;
        let wrong = |message: String| Error::Stored {
            path: path.to_owned(),
            message,
        };
        let stored: Self = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if stored.version > VERSION {
            let newer = format!("version {} is newer than this program's", stored.version);
            return Err(wrong(newer));
        }
        Ok(stored)
    }

    /// Writes a file.
    ///
    /// # Errors
    ///
    /// If the file can't be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        fs::write(path, text).map_err(|source| Error::File {
            path: path.to_owned(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_runs_are_read_and_newer_versions_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stored.json");
        let mut stored = Stored::new("./p.cf", &["-Dx".into()]);
        stored.modes.insert("plain".into(), Seen::default());
        stored.write(&path).expect("written");
        assert_eq!(Stored::read(&path).expect("read"), stored);
        stored.version = VERSION + 1;
        stored.write(&path).expect("written");
        assert!(Stored::read(&path).is_err());
    }
}
