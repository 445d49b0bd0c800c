//! What an oracle can do in a session.

use crate::SessionError;
use std::collections::BTreeMap;
use stickler_transcript::{Event, ItemOutcome, Key, Phase, Step};

/// The answers of a session so far, by the keys of their exchanges; of several with one key, the
/// last. An exchange without an answer has none.
pub(crate) type Answers = BTreeMap<Key, Vec<u8>>;

/// A session in which an oracle chooses what happens: in the place of one planned message
/// ([`crate::Wire::play`]), or after the planned steps ([`crate::Wire::drive`]).
pub trait Stage {
    /// The answer to an earlier message, by its key; of several with one key, the last. Only a
    /// session whose wire plays messages keeps it.
    fn answer(&self, key: &Key) -> Option<&[u8]>;
    /// The number that the next exchange gets.
    fn number(&self) -> usize;
    /// How long an answer of this phase may take, in microseconds.
    fn deadline_us(&self, phase: Phase) -> u64;
    /// What has happened so far.
    fn events(&self) -> &[Event];
    /// Is the process still there to answer?
    fn is_live(&self, process: usize) -> bool;
    /// Takes a step. A message is sent as it is. False if its process cannot answer any more.
    ///
    /// # Errors
    /// If the harness itself fails.
    fn step(&mut self, step: Step) -> Result<bool, SessionError>;
    /// Records that nothing is sent for the planned message with this key.
    fn omit(&mut self, key: &Key);
    /// Records what became of an item; the session sets the time.
    fn conclude(&mut self, outcome: ItemOutcome);
}
