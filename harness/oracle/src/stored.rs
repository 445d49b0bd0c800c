//! Stored runs of a peer, for machines without it.

use crate::{Error, RunName};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The version of the format.
const VERSION: u32 = 1;

/// The runs of a peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored<S> {
    /// The version of the format.
    version: u32,
    /// The peer.
    pub peer: String,
    /// The input, as given to the sides.
    pub file: String,
    /// Further options that change the results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The runs by name.
    pub runs: BTreeMap<String, S>,
}

impl<S> Stored<S> {
    /// Creates an empty set of runs.
    pub fn new(peer: &str, file: &str, options: &[String]) -> Self {
        Self {
            version: VERSION,
            peer: peer.to_owned(),
            file: file.to_owned(),
            options: options.to_vec(),
            runs: BTreeMap::new(),
        }
    }

    /// The run of this name, made with these options.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get(&self, run: &RunName, options: &[String]) -> Result<&S, Error> {
        if self.options != options {
            return Err(Error::NotStored(format!(
                "the stored results were made with the options \"{}\"; give the same options",
                self.options.join(" ")
            )));
        }
        self.runs.get(&run.to_string()).ok_or_else(|| {
            let names: Vec<&str> = self.runs.keys().map(String::as_str).collect();
            let what = match &run.case {
                Some(_) => format!("\"{run}\""),
                None => format!("mode {run}"),
            };
            Error::NotStored(format!(
                "{what} is not stored; the file has {}",
                names.join(", ")
            ))
        })
    }
}

impl<S: Serialize + DeserializeOwned> Stored<S> {
    /// Reads a file with the runs of a peer.
    ///
    /// # Errors
    ///
    /// If the file can't be read or has other content.
    pub fn read(path: &Path, peer: &str) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|source| file(path, source))?;
        let wrong = |message: String| Error::Stored {
            path: path.to_owned(),
            message,
        };
        let head: Head = serde_json::from_str(&text)
            .map_err(|error| wrong(format!("no results that `--store` wrote: {error}")))?;
        if head.version > VERSION {
            let newer = format!("version {} is newer than this program's", head.version);
            return Err(wrong(newer));
        }
        if head.peer != peer {
            return Err(wrong(format!("these are results of {}", head.peer)));
        }
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
    }

    /// Writes a file.
    ///
    /// # Errors
    ///
    /// If the file can't be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        fs::write(path, text).map_err(|source| file(path, source))
    }
}

/// What tells whose runs a file holds.
#[derive(Deserialize)]
struct Head {
    version: u32,
    peer: String,
}

fn file(path: &Path, source: std::io::Error) -> Error {
    Error::File {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_result_reads_back_unless_its_peer_or_version_differs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stored.json");
        let mut stored = Stored::new("peer", "./p.cf", &["-Dx".into()]);
        stored.runs.insert("plain".into(), 7);
        stored.write(&path).expect("written");
        assert_eq!(Stored::read(&path, "peer").expect("read"), stored);
        let other = Stored::<u32>::read(&path, "other").expect_err("refused");
        assert!(other.to_string().ends_with("these are results of peer"));
        stored.version = VERSION + 1;
        stored.write(&path).expect("written");
        assert!(Stored::<u32>::read(&path, "peer").is_err());
    }

    #[test]
    fn a_run_is_found_only_with_the_options_that_made_it() {
        let mut stored = Stored::new("peer", "f", &["--noop".into()]);
        stored.runs.insert("a: plain".into(), 1);
        let run = RunName {
            case: Some("a".into()),
            mode: "plain".into(),
        };
        assert_eq!(stored.get(&run, &["--noop".into()]).ok(), Some(&1));
        assert!(stored.get(&run, &[]).is_err());
        let why = stored.get(&RunName::of_mode("b"), &["--noop".into()]);
        let why = why.expect_err("not there").to_string();
        assert_eq!(why, "mode b is not stored; the file has a: plain");
    }
}
