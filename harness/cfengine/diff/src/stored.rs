//! Runs of the real agent in a file, for machines that have none.

use crate::{Error, Mode, Seen};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The version of the format; a reader takes this one and older ones.
pub const VERSION: u32 = 1;

/// What was seen of the real agent, mode by mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// The version of the format.
    pub version: u32,
    /// The policy, as agents were told.
    pub policy: String,
    /// Further options (`-D`, `-b` and their like).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What was seen, by mode.
    pub modes: BTreeMap<String, Seen>,
}

impl Stored {
    /// Nothing seen so far.
    pub fn new(policy: &str, options: &[String]) -> Self {
        Self {
            version: VERSION,
            policy: policy.to_owned(),
            options: options.to_vec(),
            modes: BTreeMap::new(),
        }
    }

    /// What was seen in a mode.
    pub fn get(&self, mode: Mode) -> Option<&Seen> {
        self.modes.get(mode.name())
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or holds something else.
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
    /// When it cannot be written.
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
    fn what_is_written_is_read_again_and_newer_versions_are_not() {
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
