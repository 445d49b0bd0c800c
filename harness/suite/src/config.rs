//! What an author says of a subject: `stickler.toml` and the command line.

mod date;
mod error;
mod read;

pub use date::today;
pub use error::ConfigError;
pub use read::{dialect, from_file, from_text};

use std::collections::BTreeMap;
use std::path::PathBuf;
use stickler_transcript::{Phase, Value};

/// A subject, described.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The folder that relative paths start from.
    pub dir: PathBuf,
    /// The file that it was read from.
    pub file: Option<PathBuf>,
    /// `[subject]`
    pub subject: Subject,
    /// `[fake]`: name of a command, and the file that stands in for it.
    pub fakes: Vec<(String, PathBuf)>,
    /// `[[service]]`
    pub services: Vec<Service>,
    /// `[[example]]`
    pub examples: Vec<Example>,
    /// `[[invalid]]`
    pub invalid: Vec<Example>,
    /// `[[xfail]]`
    pub xfail: Vec<Known>,
    /// `[[waive]]`
    pub waive: Vec<Known>,
    /// `[effects] ignore`
    pub ignore: Vec<String>,
    /// `[sandbox]`
    pub sandbox: Sandbox,
}

/// `[subject]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// The dialect that it speaks.
    pub dialect: Option<String>,
    /// The kinds of items that it serves (`promise_type` or `promise_types`); the first is the
    /// usual one.
    pub kinds: Vec<String>,
    /// As in a promise block: a path, or a name looked up in `PATH`.
    pub interpreter: Option<String>,
    /// The module.
    pub path: Option<PathBuf>,
    /// A whole command line instead of interpreter and path.
    pub command: Vec<String>,
    /// Environment variables beside the usual ones.
    pub env: Vec<(String, String)>,
    /// Fields that are meant to be run.
    pub executes: Vec<String>,
    /// Attributes whose values are secrets.
    pub sensitive: Vec<String>,
    /// Any attribute is welcome.
    pub open_attributes: bool,
    /// Deadlines in seconds, where the author sets them.
    pub deadlines: BTreeMap<Phase, f64>,
}

/// `[[service]]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Service {
    /// Its command line.
    pub command: Vec<String>,
    /// An address that accepts connections when it is ready.
    pub ready: Option<String>,
}

/// `[[example]]` or `[[invalid]]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Example {
    /// Its name.
    pub name: String,
    /// Its kind, where it is not the usual one.
    pub kind: Option<String>,
    /// The fields that say which thing it is about, with `{dir}` as written.
    pub identity: Vec<(String, Value)>,
    /// The attributes in their order, with `{dir}` as written.
    pub attributes: Vec<(String, Value)>,
    /// Commands that prepare the scratch directory.
    pub setup: Vec<Vec<String>>,
    /// Outcomes of evaluating again and again; the last repeats.
    pub expect: Vec<String>,
}

/// `[[xfail]]` or `[[waive]]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Code of the rule.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// Last day (`YYYY-MM-DD`) on which it holds.
    pub until: Option<String>,
    /// Only for this example.
    pub example: Option<String>,
    /// Only for this attribute.
    pub field: Option<String>,
}

/// `[sandbox]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sandbox {
    /// The tier to use, where the author chooses.
    pub tier: Option<String>,
    /// Leave the machine's network open.
    pub network: bool,
    /// Paths outside that are opened on purpose.
    pub expose: Vec<PathBuf>,
}
