//! A reading whose types of exchanges and processes are not known.

use crate::{Ended, Exchange, Left, Observation, Process, Reading};
use std::borrow::Borrow;
use stickler_transcript::{Phase, Silence, Transcript};

/// A [`Reading`] of any dialect.
pub trait AnyReading {
    /// The record.
    fn transcript(&self) -> &Transcript;
    /// How many exchanges it has.
    fn length(&self) -> usize;
    /// An exchange, by its index.
    fn exchange_at(&self, index: usize) -> Option<&Exchange>;
    /// A process, by its number.
    fn process_at(&self, number: usize) -> Option<&Process>;
    /// The points at which effects were recorded.
    fn observations(&self) -> &[Observation];
    /// The processes that outlived the subject.
    fn left(&self) -> &Left;
    /// Were there more changes than are recorded?
    fn is_truncated(&self) -> bool;
    /// Were all steps of the plan executed?
    fn is_complete(&self) -> bool;
}

impl<E: Borrow<Exchange>, P: Borrow<Process>> AnyReading for Reading<E, P> {
    fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    fn length(&self) -> usize {
        self.exchanges.len()
    }

    fn exchange_at(&self, index: usize) -> Option<&Exchange> {
        self.exchanges.get(index).map(E::borrow)
    }

    fn process_at(&self, number: usize) -> Option<&Process> {
        self.processes.get(number).map(P::borrow)
    }

    fn observations(&self) -> &[Observation] {
        &self.observations
    }

    fn left(&self) -> &Left {
        &self.left
    }

    fn is_truncated(&self) -> bool {
        Reading::is_truncated(self)
    }

    fn is_complete(&self) -> bool {
        self.complete
    }
}

impl dyn AnyReading + '_ {
    /// The messages and answers, in order.
    pub fn exchanges(&self) -> impl DoubleEndedIterator<Item = &Exchange> + Clone {
        (0..self.length()).filter_map(|index| self.exchange_at(index))
    }

    /// The processes, by number.
    pub fn processes(&self) -> impl Iterator<Item = &Process> {
        (0..).map_while(|number| self.process_at(number))
    }

    /// The exchanges in which the subject did not give an answer that it owed, and how the wait ended.
    pub fn hanging(&self) -> impl Iterator<Item = (&Exchange, Silence)> {
        self.exchanges()
            .filter_map(|exchange| match exchange.ended {
                Ended::Silent(why) if exchange.owed => Some((exchange, why)),
                _ => None,
            })
    }

    /// The phases of [`Self::hanging`].
    pub fn hangs(&self) -> impl Iterator<Item = (Phase, Silence)> {
        self.hanging().map(|(exchange, why)| (exchange.phase, why))
    }
}
