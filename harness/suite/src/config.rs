//! An author's configuration of a subject: `stickler.toml` and the command line.

mod among;
mod date;
mod error;
mod found;
mod holds;
mod intent;
mod key;
pub mod keys;
mod names;
mod own;
mod place;
mod read;
mod reader;
mod reference;
mod schema;

pub use date::today;
pub use error::ConfigError;
pub use found::{Entry, Inner, did_you_mean, listing};
pub use intent::{EqualFile, Intent, Party, equal_schema};
pub use key::{Form, Key, Keys, Read, Table, table_of, tables_of};
pub use own::{Own, OwnValue};
pub use place::CONFIG_DIR;
pub use read::{dialect, for_another, from_file, from_text};
pub use reader::{Field, Reader};
pub use reference::reference;
pub use schema::{json_schema, schema_address};

use std::collections::BTreeMap;
use std::path::PathBuf;
use stickler_transcript::{Account, Bytes, FileType, Phase, Value};

/// The description of a subject.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The folder that relative paths start from.
    pub dir: PathBuf,
    /// The file from which it was read.
    pub file: Option<PathBuf>,
    /// `[subject]`
    pub subject: Subject,
    /// `[fake]`: the name of a command, and the program that replaces it.
    pub fakes: Vec<(String, Bytes)>,
    /// `[[service]]`
    pub services: Vec<Service>,
    /// `[target]`
    pub targets: Vec<Device>,
    /// `[[example]]`
    pub examples: Vec<Example>,
    /// `[[invalid]]`
    pub invalid: Vec<Example>,
    /// `[[xfail]]`
    pub xfail: Vec<Exception>,
    /// `[[waive]]`
    pub waive: Vec<Exception>,
    /// `[effects] ignore`
    pub ignore: Vec<String>,
    /// `[sandbox]`
    pub sandbox: Sandbox,
}

/// `[subject]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// The dialect that the subject speaks.
    pub dialect: Option<String>,
    /// The kinds of items that it handles; the first is the default.
    pub kinds: Vec<String>,
    /// What runs it: a path, or a name to look up in `PATH`.
    pub interpreter: Option<String>,
    /// The module.
    pub path: Option<PathBuf>,
    /// A whole command line, instead of interpreter and path.
    pub command: Vec<String>,
    /// Environment variables, in addition to the usual ones.
    pub env: Vec<(String, String)>,
    /// Fields whose values the subject is meant to run.
    pub executes: Vec<String>,
    /// Attributes whose values are secrets.
    pub sensitive: Vec<String>,
    /// Does it accept any attribute?
    pub open_attributes: bool,
    /// Deadlines in seconds that the author sets.
    pub deadlines: BTreeMap<Phase, f64>,
    /// What only the dialect reads.
    pub own: Own,
}

/// `[[service]]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Service {
    /// Its command line.
    pub command: Vec<String>,
    /// An address that accepts connections when the service is ready.
    pub ready: Option<String>,
}

/// `[target.NAME]`: a device on which items live
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// What connects to it.
    pub transport: String,
    /// What the transport needs to know, with `{dir}` as written.
    pub connection_info: Vec<(String, Value)>,
    /// Must the transport refuse this connection info?
    pub invalid: bool,
}

/// `[[example]]` or `[[invalid]]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Example {
    /// Its name.
    pub name: String,
    /// Its kind, if it is not the default.
    pub kind: Option<String>,
    /// The device on which it lives.
    pub target: Option<String>,
    /// The fields that identify the item, with `{dir}` as written.
    pub identity: Vec<(String, Value)>,
    /// The attributes in their order, with `{dir}` as written.
    pub attributes: Vec<(String, Value)>,
    /// Commands that prepare the scratch directory.
    pub setup: Vec<Vec<String>>,
    /// The outcomes of repeated evaluations; the last one repeats.
    pub expect: Vec<String>,
    /// The classes that the first evaluation defines.
    pub classes: Vec<String>,
    /// What is at paths once the item is brought about, with `{dir}` as written.
    pub creates: Vec<Created>,
    /// Paths at which nothing is then.
    pub absent: Vec<String>,
    /// Commands that then succeed.
    pub verify: Vec<Vec<String>>,
    /// What only the dialect reads.
    pub own: Own,
}

/// One entry of `creates`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Created {
    /// The path.
    pub path: String,
    /// Its type.
    pub kind: Option<FileType>,
    /// Its permission bits.
    pub mode: Option<u32>,
    /// Its owner.
    pub owner: Option<Account>,
    /// Its group.
    pub group: Option<Account>,
    /// Its content, or the target of a link.
    pub content: Option<String>,
}

/// `[[xfail]]` or `[[waive]]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exception {
    /// Code of the rule.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// Last day (`YYYY-MM-DD`) on which it holds.
    pub until: Option<String>,
    /// Only for this example.
    pub example: Option<String>,
    /// Only for items of this kind.
    pub kind: Option<String>,
    /// Only for this attribute.
    pub field: Option<String>,
}

/// `[sandbox]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sandbox {
    /// The tier that the author chooses.
    pub tier: Option<String>,
    /// Does the subject keep access to the machine's network?
    pub network: bool,
    /// Paths outside the sandbox that it exposes.
    pub expose: Vec<PathBuf>,
}
