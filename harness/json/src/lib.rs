//! A JSON parser for judging: strict (RFC 8259) and without loss.
//!
//! It keeps repeated keys, their order, spellings of numbers, byte offsets and lone surrogates,
//! which common libraries drop or reject. The crate knows no protocol: what the values mean is the
//! caller's business.

mod error;
mod parser;
#[cfg(test)]
mod tests;
mod value;

pub use error::{JsonError, JsonErrorKind, MAX_DEPTH};
pub use value::{Json, JsonType, Member, Text, surrogate};

/// Parses one JSON value and nothing else; blanks around it are allowed.
///
/// # Errors
/// The first place that violates RFC 8259's grammar or UTF-8.
pub fn parse(bytes: &[u8]) -> Result<Json, JsonError> {
    parser::Parser::strict(bytes, 0).whole()
}

/// Parses one JSON value and returns it with the offset right after it. If anything but blanks
/// follows there, the bytes contain several values or appended text.
///
/// # Errors
/// As [`parse`], but what follows the value is not parsed.
pub fn parse_prefix(bytes: &[u8]) -> Result<(Json, usize), JsonError> {
    parse_prefix_at(bytes, 0)
}

/// Like [`parse_prefix`], but starts at `start`; all offsets count from the beginning of `bytes`.
///
/// # Errors
/// As [`parse_prefix`].
pub fn parse_prefix_at(bytes: &[u8], start: usize) -> Result<(Json, usize), JsonError> {
    parser::Parser::strict(bytes, start).prefix()
}

/// Like [`parse`], but strings may contain raw control characters and invalid UTF-8, which cf-agent
/// 3.21.0 sends. For recorded requests, never to judge a module.
///
/// # Errors
/// As [`parse`], except for these two kinds.
pub fn parse_lenient(bytes: &[u8]) -> Result<Json, JsonError> {
    parser::Parser::lenient(bytes).whole()
}
