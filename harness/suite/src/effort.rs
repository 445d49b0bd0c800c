//! How much is tried.

/// How much is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Each rule with its cheapest cases.
    Quick,
    /// The suite.
    #[default]
    Normal,
    /// Ten times the variants.
    Deep,
}
