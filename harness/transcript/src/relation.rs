//! Which sessions belong together. Plans use it, and rules read it. Only files contain it as strings.

use crate::short_name::short_name;

short_name! {
    /// What the sessions of a group have in common, and how they differ: a name that the suite or a dialect
    /// declares. Small enough to copy.
    Relation, "relation"
}

/// Declares relations: a constant each, and a table `$all` of them with their sentences.
#[macro_export]
macro_rules! relations {
    ($(#[$meta:meta])* $all:ident: $($(#[doc = $about:literal])+ $relation:ident = $name:literal,)*) => {
        $($(#[doc = $about])+ pub const $relation: $crate::Relation = $crate::Relation::named($name);)*

        $(#[$meta])*
        pub const $all: &[($crate::Relation, &str)] = &[
            $(($crate::Relation::named($name), concat!($($about),+).trim_ascii()),)*
        ];
    };
}

impl Relation {
    relations! {
        /// The relations that any dialect may have, with what their sessions are.
        COMMON:
        /// An item alone, and after another one in the same process.
        ALONE = "alone",
        /// An item with its setup, and without it.
        BARE = "bare",
        /// An item attempted at once, and with other requests between.
        BETWEEN = "between",
        /// Stand-ins for commands that work, and stand-ins that fail.
        COMMANDS = "commands",
        /// The item's file or directory has another kind, mode or shape beforehand.
        DISTURBED = "disturbed",
        /// An item left unchanged, and changed from outside.
        DRIFT = "drift",
        /// The usual environment, and another one.
        ENVIRONMENT = "environment",
        /// An item in its directory, and one that leads out of it.
        ESCAPE = "escape",
        /// Fields that are left out, emptied, of other types, or unknown.
        FIELDS = "fields",
        /// An item's file as it is, and with more that somebody else wrote.
        FOREIGN = "foreign",
        /// A session that a fuzz campaign made up.
        FUZZ = "fuzz",
        /// Many requests to one process.
        GROWTH = "growth",
        /// Requests one after another, and with pauses between them.
        IDLE = "idle",
        /// Something else is in an item's place.
        IN_THE_WAY = "in-the-way",
        /// Items that the subject must reject.
        INVALID = "invalid",
        /// A process that is left alone, and one that is killed.
        KILL = "kill",
        /// The setup's files arranged in another way.
        LAYOUTS = "layouts",
        /// Lines of a file, changed one at a time.
        LINES = "lines",
        /// An item, and one that is nearly the same.
        NEAR = "near",
        /// Two items in one order, and in the reverse order.
        ORDER = "order",
        /// An item at other paths.
        PLACES = "places",
        /// A writable target, and one that refuses writes.
        PROTECT = "protect",
        /// An item that removes what another makes.
        REMOVED = "removed",
        /// One process, and another one before or beside it.
        RESTART = "restart",
        /// An item with its own texts, and with other texts.
        TEXT = "text",
        /// Baits that a careless subject runs.
        TRAPS = "traps",
        /// Items of several types in one process, compared with one process for each type.
        TYPES = "types",
        /// An item left as it is, and undone from outside.
        UNDONE = "undone",
        /// An item's file ends with a newline, and without one.
        UNENDED = "unended",
        /// An example as its author wrote it, evaluated as the usual agent does.
        USUAL = "usual",
        /// An item that may be changed, and one about which the subject may only warn.
        WARN = "warn",
        /// Calls that change files and succeed, and one that fails.
        WRITE = "write",
    }

    /// What the sessions of a common relation are, in a sentence.
    pub fn about(self) -> Option<&'static str> {
        let mut all = Relation::COMMON.iter();
        all.find(|(relation, _)| *relation == self)
            .map(|(_, about)| *about)
    }
}
