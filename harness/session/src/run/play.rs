//! Messages that are made only when it is their turn.

use super::Session;
use crate::SessionError;
use std::collections::BTreeMap;
use stickler_transcript::{Event, Name, Outcome, Phase, Send};

/// The answers of a session so far, by the keys of their exchanges; of several with one key, the
/// last. An exchange without an answer has none.
pub(super) type Answers = BTreeMap<Name, Vec<u8>>;

/// A session while one of its planned messages is played (see [`crate::Wire::play`]).
pub trait Stage {
    /// The answer to an earlier message, by its key; of several with one key, the last.
    fn answer(&self, key: &str) -> Option<&[u8]>;
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
    fn omit(&mut self, key: &Name);
    /// Records what became of an item; the session sets the time.
    fn conclude(&mut self, outcome: Outcome);
}

impl Stage for Session<'_> {
    fn answer(&self, key: &str) -> Option<&[u8]> {
        self.answers.as_ref()?.get(key).map(Vec::as_slice)
    }

    fn number(&self) -> usize {
        self.exchanges + 1
    }

    fn deadline_us(&self, phase: Phase) -> u64 {
        self.deadlines.of(phase)
    }

    fn send(&mut self, send: &Send) -> Result<bool, SessionError> {
        self.transmit(send)
    }

    fn observe(&mut self, point: &str) -> Result<(), SessionError> {
        self.idle = true;
        Session::observe(self, point)
    }

    fn omit(&mut self, key: &Name) {
        let t = self.now();
        let key = key.clone();
        self.events.push(Event::Unsent { t, key });
    }

    fn conclude(&mut self, outcome: Outcome) {
        let t = self.now();
        let outcome = Outcome { t, ..outcome };
        self.events.push(Event::Outcome(Box::new(outcome)));
    }
}
