//! Who could send an input.

use serde::{Deserialize, Serialize};

/// Who could send an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// The deployed agent can.
    #[default]
    Agent,
    /// The specification's text allows it.
    Spec,
    /// Neither.
    Beyond,
}
