//! The place in the input at which two runs differ.

use serde::Serialize;
use std::fmt;

/// What an input declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InputPlace {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The dialect's word for it.
    #[serde(skip)]
    pub noun: &'static str,
    /// Its name.
    pub name: String,
    /// The file, as the sides name it.
    pub file: String,
    /// The line in it.
    pub line: u64,
}

impl fmt::Display for InputPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InputPlace {
            kind,
            noun,
            name,
            file,
            line,
        } = self;
        write!(f, "{file}:{line}: {kind} {noun} \"{name}\"")
    }
}
