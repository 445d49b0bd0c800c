//! How what a subject has brought about is spoilt from outside.

use stickler_transcript::{Bytes, Drift};

/// One way to spoil it.
#[derive(Clone, Debug, PartialEq)]
pub enum Spoil {
    /// The harness changes files.
    Files(Vec<Drift>),
    /// A command does it.
    Command(Vec<Bytes>),
}
