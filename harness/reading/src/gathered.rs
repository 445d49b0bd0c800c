//! Bytes that arrive in pieces.

use std::ops::{Deref, Range};
use stickler_transcript::Bytes;

/// Bytes joined from pieces. A single piece shares the record's memory.
#[derive(Clone, Debug)]
pub struct Gathered(Form);

#[derive(Clone, Debug)]
enum Form {
    Single(Bytes),
    Joined(Vec<u8>),
}

impl Gathered {
    /// Adds a piece.
    pub fn push(&mut self, piece: &Bytes) {
        match &mut self.0 {
            Form::Single(first) if first.is_empty() => first.clone_from(piece),
            Form::Single(first) => self.0 = Form::Joined([&first[..], piece].concat()),
            Form::Joined(bytes) => bytes.extend_from_slice(piece),
        }
    }

    /// A part of the bytes.
    pub fn part(&self, range: Range<usize>) -> Bytes {
        match &self.0 {
            Form::Single(bytes) => bytes.part(range),
            Form::Joined(bytes) => bytes[range].into(),
        }
    }

    /// Ends the pieces: parts share the memory from now on.
    pub fn finish(&mut self) {
        if let Form::Joined(bytes) = &mut self.0 {
            self.0 = Form::Single(std::mem::take(bytes).into());
        }
    }
}

impl Default for Gathered {
    fn default() -> Self {
        Gathered(Form::Single(Bytes::default()))
    }
}

impl Deref for Gathered {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Form::Single(bytes) => bytes,
            Form::Joined(bytes) => bytes,
        }
    }
}

impl PartialEq for Gathered {
    fn eq(&self, other: &Gathered) -> bool {
        self[..] == other[..]
    }
}
