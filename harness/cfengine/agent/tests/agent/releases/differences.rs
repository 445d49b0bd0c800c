//! Where releases differ, in words.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The file `differences.toml`.
#[derive(Deserialize)]
pub struct Differences {
    pub difference: Vec<Difference>,
}

#[derive(Deserialize)]
pub struct Difference {
    pub situation: String,
    /// What the agent does from a release on.
    pub does: BTreeMap<String, String>,
    /// Names of situations that show it.
    pub recorded: Vec<String>,
}

impl Differences {
    pub fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("the differences");
        toml::from_str(&text).expect("differences")
    }
}
