//! The notifications of one process that no step has heard yet.

use std::collections::VecDeque;
use stickler_transcript::Name;

/// How many are kept; of more, the oldest are forgotten.
const MOST: usize = 4096;
/// How many bytes of them are kept.
const MOST_BYTES: usize = 1 << 20;

/// What a step waits for.
pub(crate) struct Awaits<'p> {
    pub(crate) process: usize,
    pub(crate) name: Option<&'p Name>,
    pub(crate) since: Option<&'p Name>,
    pub(crate) acknowledge: bool,
    pub(crate) deadline_us: u64,
}

/// A notification.
struct Notice {
    /// Its number among all of the process, from 0.
    number: u64,
    name: Name,
    message: Vec<u8>,
}

/// The notifications of one process.
#[derive(Default)]
pub(crate) struct Notices {
    unheard: VecDeque<Notice>,
    bytes: usize,
    count: u64,
}

impl Notices {
    /// Adds the latest one.
    pub(crate) fn add(&mut self, name: Name, message: Vec<u8>) {
        self.bytes += message.len();
        self.unheard.push_back(Notice {
            number: self.count,
            name,
            message,
        });
        self.count += 1;
        while self.unheard.len() > MOST || self.bytes > MOST_BYTES {
            let Some(oldest) = self.unheard.pop_front() else {
                return;
            };
            self.bytes -= oldest.message.len();
        }
    }

    /// How many came so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The place of the first unheard one with this name, if one is given, among those with this number
    /// or a later one.
    pub(crate) fn find(&self, name: Option<&Name>, from: u64) -> Option<usize> {
        self.unheard
            .iter()
            .position(|one| one.number >= from && name.is_none_or(|name| *name == one.name))
    }

    /// Takes the one at a place, and returns its message.
    pub(crate) fn take(&mut self, place: usize) -> Option<Vec<u8>> {
        let taken = self.unheard.remove(place)?;
        self.bytes -= taken.message.len();
        Some(taken.message)
    }
}
