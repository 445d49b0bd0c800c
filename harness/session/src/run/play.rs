//! The session as a stage: messages that are made only when it is their turn.

use super::Session;
use crate::SessionError;
use crate::stage::Stage;
use stickler_transcript::{Event, ItemOutcome, Key, Phase, Send};

impl Stage for Session<'_> {
    fn answer(&self, key: &Key) -> Option<&[u8]> {
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

    fn omit(&mut self, key: &Key) {
        let t = self.now();
        let key = key.clone();
        self.events.push(Event::Unsent { t, key });
    }

    fn conclude(&mut self, outcome: ItemOutcome) {
        let t = self.now();
        let outcome = ItemOutcome { t, ..outcome };
        self.events.push(Event::Outcome(Box::new(outcome)));
    }
}
