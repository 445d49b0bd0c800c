//! What inputs of a corpus are worth: for each mark, the smallest input that shows it counts. Others go once there are
//! too many.

use crate::novelty::set;
use std::collections::HashMap;
use std::hash::Hash;

/// A place in the map of a campaign, and the class that an input reached there.
pub(crate) type Mark = (u32, u8);

/// The marks that are set in a map.
pub(crate) fn marks(map: &[u8]) -> Vec<Mark> {
    let place = |at| u32::try_from(at).unwrap_or(u32::MAX);
    set(map).map(|(at, class)| (place(at), class)).collect()
}

/// How many inputs may stay, and how many bytes they may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) inputs: usize,
    pub(crate) bytes: usize,
}

/// What is known about one input.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    bytes: usize,
    /// How many marks it shows with less weight than all others.
    alone: usize,
    /// Did it never run, or must it stay for another reason?
    stays: bool,
}

/// The worth of all inputs of a corpus, by their names.
#[derive(Debug)]
pub(crate) struct Worth<K> {
    best: HashMap<Mark, (usize, K)>,
    entries: HashMap<K, Entry>,
    bytes: usize,
    /// So many inputs and bytes are looked at next: what must stay would be looked at for each new input otherwise.
    next: Room,
    room: Room,
}

impl<K: Copy + Eq + Hash + Ord> Worth<K> {
    pub(crate) fn new(room: Room) -> Self {
        Worth {
            best: HashMap::new(),
            entries: HashMap::new(),
            bytes: 0,
            next: room,
            room,
        }
    }

    /// An input of which nobody knows yet what it shows: it stays.
    pub(crate) fn unknown(&mut self, key: K, bytes: usize) {
        self.entry(key, bytes).stays = true;
    }

    /// An input has run. It shows these marks.
    pub(crate) fn shows(&mut self, key: K, weight: usize, bytes: usize, marks: &[Mark]) {
        let mut alone = 0;
        for mark in marks {
            // Of two that are as small, all campaigns choose the same.
            let known = self.best.get(mark).copied();
            if known.is_some_and(|known| known <= (weight, key)) {
                continue;
            }
            self.best.insert(*mark, (weight, key));
            alone += 1;
            let before = known.and_then(|(_, other)| self.entries.get_mut(&other));
            if let Some(other) = before {
                other.alone = other.alone.saturating_sub(1);
            }
        }
        let entry = self.entry(key, bytes);
        entry.alone += alone;
        entry.stays = false;
    }

    /// An input has run, and shows nothing that others do not show.
    pub(crate) fn shows_nothing(&mut self, key: K) {
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.stays = false;
        }
    }

    fn entry(&mut self, key: K, bytes: usize) -> &mut Entry {
        let total = &mut self.bytes;
        self.entries.entry(key).or_insert_with(|| {
            *total += bytes;
            Entry {
                bytes,
                ..Entry::default()
            }
        })
    }

    /// The inputs that go, if there are too many: those that others cover, the largest first. If `all`, then the
    /// largest of the others. `guarded` ones stay.
    pub(crate) fn excess(&mut self, all: bool, guarded: impl Fn(&K) -> bool) -> Vec<K> {
        if self.entries.len() <= self.next.inputs && self.bytes <= self.next.bytes {
            return Vec::new();
        }
        // A little more goes, so that this is rare.
        let less = |most: usize| most - most / 8;
        let (inputs, bytes) = (less(self.room.inputs), less(self.room.bytes));
        let entries = self.entries.iter();
        let candidates = entries.filter(|(key, entry)| {
            let goes = all || entry.alone == 0;
            goes && !entry.stays && !guarded(key)
        });
        let mut candidates: Vec<(bool, usize, K)> = candidates
            .map(|(key, entry)| (entry.alone == 0, entry.bytes, *key))
            .collect();
        candidates.sort_unstable();
        let mut gone = Vec::new();
        while self.entries.len() > inputs || self.bytes > bytes {
            let Some((_, _, key)) = candidates.pop() else {
                break;
            };
            if let Some(entry) = self.entries.remove(&key) {
                self.bytes -= entry.bytes;
            }
            gone.push(key);
        }
        let more = |now: usize, most: usize| most.max(now + now / 16);
        self.next = Room {
            inputs: more(self.entries.len(), self.room.inputs),
            bytes: more(self.bytes, self.room.bytes),
        };
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room {
        inputs: 8,
        bytes: 1_000,
    };

    #[test]
    fn the_smallest_input_that_shows_a_mark_stays() {
        let mut worth = Worth::new(ROOM);
        worth.shows(1_u64, 50, 10, &[(1, 1), (2, 1)]);
        worth.shows(2, 40, 10, &[(1, 1)]);
        for key in 3..=9 {
            worth.shows(key, 60, 10, &[(1, 1), (2, 1)]);
        }
        // The first one alone shows the second mark with so little weight.
        let gone = worth.excess(false, |_| false);
        assert_eq!(gone, [9, 8]);
        worth.shows(10, 30, 10, &[(2, 1)]);
        worth.shows(11, 90, 10, &[(2, 2)]);
        worth.shows(12, 99, 10, &[]);
        let gone = worth.excess(false, |key| *key == 12);
        assert_eq!(gone, [7, 6, 5]);
    }

    #[test]
    fn unique_and_untried_inputs_are_dropped_only_if_allowed() {
        let mut worth = Worth::new(ROOM);
        for key in 0..20_u64 {
            worth.shows(key, 10, 100 + key as usize, &[(key as u32, 1)]);
        }
        worth.unknown(20, 5_000);
        assert!(worth.excess(false, |_| false).is_empty());
        let mut worth = Worth::new(ROOM);
        for key in 0..20_u64 {
            worth.shows(key, 10, 100 + key as usize, &[(key as u32, 1)]);
        }
        worth.unknown(20, 10);
        let gone = worth.excess(true, |_| false);
        assert_eq!(gone[0], 19);
        assert_eq!(gone.len(), 14);
        worth.shows_nothing(20);
        for key in 30..40 {
            worth.shows(key, 10, 1, &[(key as u32, 1)]);
        }
        assert_eq!(worth.excess(false, |_| false), [20]);
    }

    #[test]
    fn marks_are_the_places_and_classes_of_a_map() {
        let mut map = vec![0; 1_000];
        (map[3], map[999]) = (1, 8);
        assert_eq!(marks(&map), [(3, 1), (999, 8)]);
    }
}
