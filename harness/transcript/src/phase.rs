//! Phases of a conversation; each may have its own deadline.

use crate::short_name::short_name;

short_name! {
    /// The kind of a message, by the name that its dialect gives it: `validate`, `get`, `CheckApply`.
    /// Small enough to copy.
    Phase, "phase"
}

impl Phase {
    /// Any message for which the dialect has no name.
    pub const OTHER: Phase = Phase::named("other");
}

impl Default for Phase {
    fn default() -> Self {
        Phase::OTHER
    }
}
