//! What `stickler doctor` has looked at.

use crate::programs::{Program, own_path};
use serde::{Serialize, Serializer};

/// What an item is about: its name, and its heading for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic(pub &'static str, pub &'static str);

/// Deployed agents.
pub const PEER: Topic = Topic("peer", "Agents (not needed for `check`)");

impl Serialize for Topic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

/// One checked item.
#[derive(Clone, Debug, Serialize)]
pub struct Item {
    /// What it is about.
    pub topic: Topic,
    /// Its name.
    pub name: String,
    /// Is it there, and does it work?
    pub ok: bool,
    /// Why, or what it is.
    pub detail: String,
    /// What does not work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
    /// What the user can do about it, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub todo: Vec<String>,
    /// Does Stickler work without it?
    pub optional: bool,
}

impl Item {
    /// An item that Stickler needs.
    pub fn new(topic: Topic, name: &str, ok: bool, detail: impl Into<String>) -> Item {
        Item {
            topic,
            name: name.to_owned(),
            ok,
            detail: detail.into(),
            lacks: Vec::new(),
            todo: Vec::new(),
            optional: false,
        }
    }

    /// A deployed agent, which is looked up in `PATH` and in the folders where packages install it. `about` adds
    /// something about its version.
    pub fn peer(name: &str, folders: &[&str], about: impl Fn(&str) -> String) -> Item {
        let mut path = own_path();
        path.extend(folders.iter().map(Into::into));
        match Program::find(name, &path) {
            Some(program) => {
                let version = program.version();
                let version = version.as_deref();
                let about = version.map(about).unwrap_or_default();
                let detail = program.described(version) + &about;
                Item::new(PEER, name, true, detail)
            }
            None => Item::new(PEER, name, false, "not found"),
        }
        .optional()
    }

    /// The same if Stickler works without it.
    #[must_use]
    pub fn optional(mut self) -> Item {
        self.optional = true;
        self
    }

    /// The same with a line about what the user can do.
    #[must_use]
    pub fn advised(mut self, line: &str) -> Item {
        self.todo.push(line.to_owned());
        self
    }
}
