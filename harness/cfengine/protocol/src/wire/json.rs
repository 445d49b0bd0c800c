//! JSON in messages: the strict parser, and the styles of writing it.

#[cfg(test)]
mod tests;
pub(super) mod writer;

pub use stickler_json::*;
