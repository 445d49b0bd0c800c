//! Phases of a conversation; each may have its own deadline.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::fmt;

/// The kind of a message, by the name that its dialect gives it: `validate`, `get`, `CheckApply`.
/// Small enough to copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Phase([u8; Phase::MOST]);

impl Phase {
    /// The length of the longest name, in bytes.
    pub const MOST: usize = 24;

    /// Any message for which the dialect has no name.
    pub const OTHER: Phase = Phase::named("other");

    /// The phase of this name.
    ///
    /// # Panics
    /// If the name is empty or longer than [`Phase::MOST`]. For constants; use
    /// [`Phase::parse`] for a name from outside.
    pub const fn named(name: &str) -> Phase {
        match Phase::fit(name.as_bytes()) {
            Some(phase) => phase,
            None => panic!("a phase's name has 1 to 24 bytes, none of them zero"),
        }
    }

    /// The phase of this name. `None` if no phase can have it.
    pub const fn parse(name: &str) -> Option<Phase> {
        Phase::fit(name.as_bytes())
    }

    const fn fit(name: &[u8]) -> Option<Phase> {
        if name.is_empty() || name.len() > Phase::MOST {
            return None;
        }
        let mut bytes = [0; Phase::MOST];
        let mut at = 0;
        while at < name.len() {
            if name[at] == 0 {
                return None;
            }
            bytes[at] = name[at];
            at += 1;
        }
        Some(Phase(bytes))
    }

    /// Its name.
    pub fn name(&self) -> Cow<'_, str> {
        let end = self.0.iter().position(|byte| *byte == 0);
        String::from_utf8_lossy(&self.0[..end.unwrap_or(Phase::MOST)])
    }
}

impl Default for Phase {
    fn default() -> Self {
        Phase::OTHER
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl Serialize for Phase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for Phase {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Phase::parse(&name).ok_or_else(|| {
            de::Error::custom(format!(
                "\"{name}\" is no phase: 1 to {} bytes",
                Phase::MOST
            ))
        })
    }
}
