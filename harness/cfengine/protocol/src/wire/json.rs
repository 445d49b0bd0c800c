//! JSON in messages: the strict parser, and the styles of writing it.

pub(super) mod writer;

pub use stickler_json::*;
