//! The part that a session plays among those with which it is compared. Only files contain it as strings.

use crate::Name;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// The role of a session in its group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The session with which the others are compared.
    Baseline,
    /// The baseline, run again: it shows which differences are volatile.
    Again,
    /// Another item came before.
    After,
    /// Something happened in between.
    Between,
    /// Another item is beside it.
    Beside,
    /// The subject may only warn.
    Warn,
    /// Something was changed from outside.
    Drift,
    /// It leads out of its directory.
    Escape,
    /// Something is not sent, or does not exist.
    Absent,
    /// After a pause.
    Later,
    /// In the reverse order.
    Reversed,
    /// Several processes at once.
    Concurrent,
    /// No space is left, and an old file exists.
    FullOld,
    /// A file may not be read.
    Unreadable,
    /// The subject is asked to change things as usual.
    Fix,
    /// The subject is asked to do nothing.
    Nop,
    /// The messages are as the specification writes them.
    Spec,
    /// A message has an unknown member.
    UnknownKey,
    /// The members of a message are in another order.
    OtherOrder,
    /// All commands fail as if they were not found.
    NoneRuns,
    /// Any other variant, by a name for people.
    Variant(Name),
}

impl Role {
    const KNOWN: [(Role, &'static str); 20] = [
        (Role::Baseline, "baseline"),
        (Role::Again, "again"),
        (Role::After, "after"),
        (Role::Between, "between"),
        (Role::Beside, "beside"),
        (Role::Warn, "warn"),
        (Role::Drift, "drift"),
        (Role::Escape, "escape"),
        (Role::Absent, "absent"),
        (Role::Later, "later"),
        (Role::Reversed, "reversed"),
        (Role::Concurrent, "concurrent"),
        (Role::FullOld, "full-old"),
        (Role::Unreadable, "unreadable"),
        (Role::Fix, "fix"),
        (Role::Nop, "nop"),
        (Role::Spec, "spec"),
        (Role::UnknownKey, "unknown-key"),
        (Role::OtherOrder, "other-order"),
        (Role::NoneRuns, "127 after 0 calls"),
    ];

    /// The role with this name: a known role, or else a variant.
    pub fn variant(name: &str) -> Role {
        let known = Role::KNOWN.into_iter().find(|(_, known)| *known == name);
        known.map_or_else(|| Role::Variant(name.into()), |(role, _)| role)
    }

    /// The name in files and messages.
    pub fn name(&self) -> &str {
        match self {
            Role::Variant(name) => name,
            known => {
                let mut all = Role::KNOWN.iter();
                all.find(|(role, _)| role == known)
                    .map_or("", |(_, name)| name)
            }
        }
    }

    /// Is it a session with which others are compared: the baseline or its repetition?
    pub fn is_reference(&self) -> bool {
        matches!(self, Role::Baseline | Role::Again)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Role::variant(&Cow::<str>::deserialize(deserializer)?))
    }
}
