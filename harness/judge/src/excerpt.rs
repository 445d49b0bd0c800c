//! The evidence of a finding, line by line.

use serde::Serialize;

/// The direction of a line in an excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrow {
    /// From the harness to the subject.
    Sent,
    /// From the subject.
    Received,
    /// An effect on the system.
    Effect,
    /// Something that happened: an exit, a deadline.
    Happened,
}

/// One line of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExcerptLine {
    /// The number of the exchange.
    pub exchange: Option<usize>,
    /// Its direction.
    pub arrow: Arrow,
    /// The text, with control characters made visible.
    pub text: String,
    /// A part of `text` to underline: start and length in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<(usize, usize)>,
    /// A remark beside the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
