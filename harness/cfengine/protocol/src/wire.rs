//! The promise module protocol on the wire: headers, framing, requests, responses.
//!
//! The code is strict when it judges what a module sent, and exact when it sends what an agent
//! sends. Nothing here does I/O, and no input makes it panic. Source: the specification's section
//! "Protocol"; for what that leaves open, the behaviour of cf-agent 3.21.0.

pub mod framing;
pub mod header;
pub mod json;
pub mod request;
pub mod response;
pub mod value;

pub use framing::{End, How, message_end, message_end_from};
pub use header::{Header, Protocol};
pub use json::{Json, JsonError, JsonErrorKind, Member, Text};
pub use request::{Encoded, Operation, Request};
pub use response::Response;
pub use stickler_transcript::Value;
pub use value::{Encode, Style};

use std::ops::Range;

/// The ranges of the lines of `bytes`, without their LF. Empty input has no lines, and a final LF
/// starts no further line.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= bytes.len() {
            return None;
        }
        let length = bytes[start..].iter().position(|&byte| byte == b'\n');
        let end = length.map_or(bytes.len(), |length| start + length);
        let line = start..end;
        start = end + 1;
        Some(line)
    })
}

/// The parts before and after the first `=`. Source: "Line based protocol".
fn split_key(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line.iter().position(|&byte| byte == b'=')?;
    Some((&line[..at], &line[at + 1..]))
}
