//! What can be sent to a subject that nobody has described.

use crate::config::Example;

/// What a look at a subject without examples gave.
#[derive(Clone, Debug, Default)]
pub struct Harvest {
    /// The kind of its items.
    pub kind: String,
    /// Items that the subject may accept.
    pub items: Vec<Example>,
    /// Names of attributes.
    pub names: Vec<String>,
}
