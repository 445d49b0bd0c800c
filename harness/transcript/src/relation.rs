//! The vocabulary of groups and variants: which sessions belong together, and what was changed in
//! an item. Plans use it, and rules read it. Only files contain it as strings.

use crate::Name;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// An enum of names without data: the list [`ALL`](Self::ALL), the name of each variant, and the
/// reverse lookup.
macro_rules! named {
    (
        $(#[$meta:meta])* $enum:ident
        $($(#[doc = $about:literal])+ $variant:ident = $name:literal,)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $enum {
            $($(#[doc = $about])+ #[serde(rename = $name)] $variant,)*
        }

        impl $enum {
            /// All variants, in the order of their declaration.
            pub const ALL: &[$enum] = &[$($enum::$variant),*];

            /// The variant with this name.
            pub fn parse(name: &str) -> Option<$enum> {
                $enum::ALL.iter().copied().find(|one| one.name() == name)
            }

            /// The name in files and messages.
            pub fn name(self) -> &'static str {
                match self {
                    $($enum::$variant => $name,)*
                }
            }

            /// What it is, in words.
            pub fn about(self) -> &'static str {
                match self {
                    $($enum::$variant => concat!($($about),+).trim(),)*
                }
            }
        }

        impl fmt::Display for $enum {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

named! {
    /// What the sessions of a group have in common, and how they differ.
    Relation
    /// An item alone, and after another one in the same process.
    Alone = "alone",
    /// An item with its fields, without any, and with fields that the agent adds.
    Attributes = "attributes",
    /// What holds the state works, and is broken.
    Backend = "backend",
    /// Broken messages, and the requests after them.
    Broken = "broken",
    /// An item with its setup, and without it.
    Bare = "bare",
    /// An item attempted at once, and with other requests between.
    Between = "between",
    /// Stand-ins for commands that work, and stand-ins that fail.
    Commands = "commands",
    /// The item's file or directory has another kind, mode or shape beforehand.
    Disturbed = "disturbed",
    /// An item left unchanged, and changed from outside.
    Drift = "drift",
    /// Sessions that end early, or without `terminate`.
    Ends = "ends",
    /// The usual environment, and another one.
    Environment = "environment",
    /// An item in its directory, and one that leads out of it.
    Escape = "escape",
    /// Fields that are left out, emptied, of other types, or unknown.
    Fields = "fields",
    /// A session that a fuzz campaign made up.
    Fuzz = "fuzz",
    /// Many requests to one process.
    Growth = "growth",
    /// The opening message of the usual agent, and of another one.
    Header = "header",
    /// Requests one after another, and with pauses between them.
    Idle = "idle",
    /// Something else is in an item's place.
    InTheWay = "in-the-way",
    /// Items that the subject must reject.
    Invalid = "invalid",
    /// The usual members of a message in order, and additional members or another order.
    Keys = "keys",
    /// A process that is left alone, and one that is killed.
    Kill = "kill",
    /// The setup's files arranged in another way.
    Layouts = "layouts",
    /// Messages of the usual size, and large ones.
    Large = "large",
    /// One log level, and another.
    Level = "level",
    /// Lines of a file, changed one at a time.
    Lines = "lines",
    /// An item, and one that is nearly the same.
    Near = "near",
    /// Two items in one order, and in the reverse order.
    Order = "order",
    /// A message written at once, and in pieces.
    Pieces = "pieces",
    /// An item at other paths.
    Places = "places",
    /// Sessions that an agent drives from a policy.
    Policies = "policies",
    /// A writable target, and one that refuses writes.
    Protect = "protect",
    /// An item that removes what another makes.
    Removed = "removed",
    /// One process, and another one before or beside it.
    Restart = "restart",
    /// The usual runtime of the subject, and other versions of it.
    Runtime = "runtime",
    /// A target that answers, and one that is gone, or refuses the credentials.
    Targets = "targets",
    /// An item with its own texts, and with other texts.
    Text = "text",
    /// Baits that a careless subject runs.
    Traps = "traps",
    /// Items of several types in one process, compared with one process for each type.
    Types = "types",
    /// An item left as it is, and undone from outside.
    Undone = "undone",
    /// An item's file ends with a newline, and without one.
    Unended = "unended",
    /// An example as its author wrote it, evaluated as the usual agent does.
    Usual = "usual",
    /// An item that may be changed, and one about which the subject may only warn.
    Warn = "warn",
    /// Calls that change files and succeed, and one that fails.
    Write = "write",
}

named! {
    /// What was changed in an item, for rules.
    Variation
    /// A field was left out.
    Drop = "drop",
    /// Other members are missing beside it.
    Lacking = "lacking",
    /// All fields were left out.
    Bare = "bare",
    /// A field was emptied.
    Empty = "empty",
    /// Something likely to be invalid.
    Odd = "odd",
    /// A list instead of text.
    List = "list",
    /// An object instead of text.
    Object = "object",
    /// A number instead of text, or other digits.
    Number = "number",
    /// A boolean instead of text.
    Bool = "bool",
    /// `null` instead of text.
    Null = "null",
    /// A lone surrogate in JSON.
    Surrogate = "surrogate",
    /// Another text.
    String = "string",
    /// Another value within a container.
    Leaf = "leaf",
    /// Text that is hard to carry.
    Text = "text",
    /// Text with more spaces.
    Spaced = "spaced",
    /// Text with control characters.
    Control = "control",
    /// A field that no subject knows.
    Unknown = "unknown",
    /// A field of another type.
    OtherType = "other-type",
    /// A field with a reserved name.
    Reserved = "reserved",
    /// A member's name was changed.
    Name = "name",
    /// A message that is large.
    Huge = "huge",
    /// A text that a careless subject runs.
    Canary = "canary",
    /// A path that leads elsewhere.
    Escape = "escape",
    /// Stand-ins for commands fail.
    Commands = "commands",
    /// Nearly the same text.
    Near = "near",
    /// A quite different text.
    Far = "far",
    /// A part of the text.
    Part = "part",
    /// Letters in the other case.
    Case = "case",
    /// Made so that another item removes it.
    Made = "made",
    /// Named similarly to what is removed.
    Neighbour = "neighbour",
    /// Undone from outside.
    Undone = "undone",
    /// One of many requests, to see growth.
    Growth = "growth",
    /// It appears twice.
    Doubled = "doubled",
    /// In the reverse order.
    Backwards = "backwards",
    /// A link instead of a file.
    Linked = "linked",
    /// Another layout of the file.
    Layout = "layout",
    /// Another spelling of a path.
    Path = "path",
    /// A text with leading zeros.
    Padded = "padded",
    /// At another path.
    Place = "place",
    /// Another item wants something else in the same place.
    Rival = "rival",
    /// A removed line is back.
    TakenBack = "taken-back",
    /// A line with more letters.
    Lettered = "lettered",
    /// A line that is commented out.
    Commented = "commented",
    /// Changed from outside.
    Drifted = "drifted",
    /// Something else exists in its place.
    InTheWay = "in-the-way",
    /// It may or may not be valid, so it is never attempted.
    Probe = "probe",
    /// Another value of the field's type.
    Typed = "typed",
    /// Made up by a fuzz campaign.
    Fuzzed = "fuzzed",
}

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
