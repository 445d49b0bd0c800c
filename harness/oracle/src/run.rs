//! The names of runs.

use serde::Serialize;
use std::fmt;

/// One of the runs that are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RunName {
    /// The case, if a file holds several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// The mode in which both sides run.
    pub mode: String,
}

impl RunName {
    /// The only case of a file, in a mode.
    pub fn of_mode(mode: impl Into<String>) -> Self {
        Self {
            case: None,
            mode: mode.into(),
        }
    }
}

/// The name in stored runs.
impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.case {
            Some(case) => write!(f, "{case}: {}", self.mode),
            None => f.write_str(&self.mode),
        }
    }
}
