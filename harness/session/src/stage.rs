//! What a dialect can do in a session while one of its planned messages is played.

use crate::SessionError;
use std::collections::BTreeMap;
use stickler_transcript::{ItemOutcome, Key, Phase, Send};

/// The answers of a session so far, by the keys of their exchanges; of several with one key, the
/// last. An exchange without an answer has none.
pub(crate) type Answers = BTreeMap<Key, Vec<u8>>;

/// A session while one of its planned messages is played (see [`crate::Wire::play`]).
pub trait Stage {
    /// The answer to an earlier message, by its key; of several with one key, the last.
    fn answer(&self, key: &Key) -> Option<&[u8]>;
    /// The number that the next exchange gets.
    fn number(&self) -> usize;
    /// How long an answer of this phase may take, in microseconds.
    fn deadline_us(&self, phase: Phase) -> u64;
    /// Sends a message as it is. False if its process cannot answer any more.
    ///
    /// # Errors
    /// If the harness itself fails.
    fn send(&mut self, send: &Send) -> Result<bool, SessionError>;
    /// Records the effects since the last observation.
    ///
    /// # Errors
    /// If they cannot be read.
    fn observe(&mut self, point: &str) -> Result<(), SessionError>;
    /// Records that nothing is sent for the planned message with this key.
    fn omit(&mut self, key: &Key);
    /// Records what became of an item; the session sets the time.
    fn conclude(&mut self, outcome: ItemOutcome);
}
