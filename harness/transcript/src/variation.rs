//! What was changed in an item. Only files contain it as strings.

use serde::{Deserialize, Serialize};
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
