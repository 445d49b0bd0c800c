//! The inputs that a campaign knows: which of them are in memory, and which files may go.

use crate::dice::Dice;
use crate::input::Input;
use crate::worth::{Mark, Room, Worth};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How many files the folder may have, and about how many bytes, before inputs go that others cover.
const DISK: Room = Room {
    inputs: 30_000,
    bytes: 512 << 20,
};
/// How many bytes of inputs stay in memory. The others are read again if someone wants them.
const MEMORY: usize = 48 << 20;
/// How many inputs a worker gets at once.
const BATCH: usize = 64;

/// Who found an input that was in the folder.
const NOBODY: u32 = u32::MAX;

/// The inputs, in the order in which they became known. Its size in memory is bounded, apart from a few words for each.
#[derive(Debug)]
pub(super) struct Pool {
    entries: Vec<Entry>,
    /// The places of the inputs, by their names.
    places: HashMap<u64, usize>,
    worth: Worth<u64>,
    /// Inputs that stay for another reason: they show a defect first, or their authors named the files.
    guarded: HashSet<u64>,
    /// How many bytes of inputs are in memory.
    memory: usize,
    /// How many showed something new in this campaign.
    shown: usize,
    /// Could an input not be written? Then nothing is removed: it might be what covers others.
    is_incomplete: bool,
}

#[derive(Debug)]
struct Entry {
    by: u32,
    name: u64,
    weight: usize,
    bytes: usize,
    /// Did it show something new?
    shown: bool,
    /// Its file, if that has another name.
    file: Option<Box<str>>,
    input: Option<Arc<Input>>,
}

/// An input, or where it is.
pub(super) enum Place {
    Memory(Arc<Input>),
    File(String),
}

/// How far a worker is.
#[derive(Debug, Default)]
pub(super) struct Taken {
    next: usize,
    /// What it got last.
    given: Vec<u64>,
    /// Could one of these not run?
    failed: bool,
}

impl Taken {
    pub(super) fn fail(&mut self) {
        self.failed = true;
    }
}

/// The name of an input as a number.
fn key(name: &str) -> u64 {
    u64::from_str_radix(name, 16).unwrap_or(0)
}

/// The name of an input.
fn name(key: u64) -> String {
    format!("{key:016x}")
}

impl Pool {
    pub(super) fn new() -> Self {
        Pool {
            entries: Vec::new(),
            places: HashMap::new(),
            worth: Worth::new(DISK),
            guarded: HashSet::new(),
            memory: 0,
            shown: 0,
            is_incomplete: false,
        }
    }

    /// How many showed something new.
    pub(super) fn shown(&self) -> usize {
        self.shown
    }

    /// Their names.
    pub(super) fn names(&self) -> Vec<String> {
        let shown = self.entries.iter().filter(|entry| entry.shown);
        shown.map(|entry| name(entry.name)).collect()
    }

    /// Adds an input of the folder that has not run yet. False if it is known.
    pub(super) fn read(&mut self, file: &str, input: Input) -> bool {
        let own = input.name();
        let is_other = file.strip_suffix(".json") != Some(&own);
        let key = key(&own);
        if self.places.contains_key(&key) {
            return false;
        }
        self.worth.unknown(key, input.bytes());
        if is_other {
            self.guarded.insert(key);
        }
        let keeps = self.memory + input.bytes() <= MEMORY;
        self.put(NOBODY, key, is_other.then(|| file.into()), input, keeps);
        true
    }

    fn put(&mut self, by: u32, key: u64, file: Option<Box<str>>, input: Input, keeps: bool) {
        self.places.insert(key, self.entries.len());
        let bytes = input.bytes();
        self.memory += if keeps { bytes } else { 0 };
        self.entries.push(Entry {
            by,
            name: key,
            weight: input.weight(),
            bytes,
            shown: false,
            file,
            input: keeps.then(|| Arc::new(input)),
        });
    }

    /// Notes what an input shows. True if nobody knew the input.
    pub(super) fn note(&mut self, worker: usize, input: &Input, marks: &[Mark]) -> bool {
        let key = key(&input.name());
        let weight = input.weight();
        self.worth.shows(key, weight, input.bytes(), marks);
        let is_new = !self.places.contains_key(&key);
        if is_new {
            let by = u32::try_from(worker).unwrap_or(NOBODY);
            self.put(by, key, None, input.clone(), true);
            self.forget();
        }
        if let Some(entry) = self.places.get(&key).map(|at| &mut self.entries[*at]) {
            self.shown += usize::from(!entry.shown);
            entry.shown = true;
        }
        is_new
    }

    /// Drops the largest inputs from memory if there are too many: files hold them.
    fn forget(&mut self) {
        if self.memory <= MEMORY {
            return;
        }
        let kept = self.entries.iter().enumerate();
        let kept = kept.filter(|(_, entry)| entry.input.is_some());
        let mut kept: Vec<(usize, usize)> = kept.map(|(at, entry)| (entry.bytes, at)).collect();
        kept.sort_unstable();
        while self.memory > MEMORY - MEMORY / 4
            && let Some((bytes, at)) = kept.pop()
        {
            self.entries[at].input = None;
            self.memory -= bytes;
        }
    }

    fn place(&self, at: usize) -> Place {
        let entry = &self.entries[at];
        match (&entry.input, &entry.file) {
            (Some(input), _) => Place::Memory(Arc::clone(input)),
            (None, Some(file)) => Place::File(file.to_string()),
            (None, None) => Place::File(format!("{}.json", name(entry.name))),
        }
    }

    /// All inputs. Of those that show the same, the smallest is the one that shows it first.
    pub(super) fn smallest_first(&self) -> Vec<Place> {
        let mut all: Vec<usize> = (0..self.entries.len()).collect();
        all.sort_by_key(|at| (self.entries[*at].weight, self.entries[*at].name));
        all.into_iter().map(|at| self.place(at)).collect()
    }

    /// The next inputs that others found.
    pub(super) fn next(&mut self, worker: usize, taken: &mut Taken) -> Vec<Place> {
        for key in std::mem::take(&mut taken.given) {
            let entry = self.places.get(&key).map(|at| &self.entries[*at]);
            // Whatever it showed was known to a worker.
            if !taken.failed && entry.is_some_and(|entry| !entry.shown) {
                self.worth.shows_nothing(key);
            }
        }
        taken.failed = false;
        let mut places = Vec::new();
        while places.len() < BATCH && taken.next < self.entries.len() {
            let entry = &self.entries[taken.next];
            if usize::try_from(entry.by).ok() != Some(worker) {
                taken.given.push(entry.name);
                places.push(self.place(taken.next));
            }
            taken.next += 1;
        }
        places
    }

    /// One of the inputs in memory.
    pub(super) fn any(&self, dice: &mut Dice) -> Option<Arc<Input>> {
        // Others are not worth a look into a file.
        (0..8).find_map(|_| {
            let entry = dice.pick(&self.entries)?;
            entry.input.as_ref().map(Arc::clone)
        })
    }

    /// The names of inputs that go, since others cover them and there are too many.
    pub(super) fn excess(&mut self) -> Vec<String> {
        let guarded = &self.guarded;
        let gone = self.worth.excess(false, |key| guarded.contains(key));
        match self.is_incomplete {
            true => Vec::new(),
            false => gone.into_iter().map(name).collect(),
        }
    }

    /// An input could not be written.
    pub(super) fn set_incomplete(&mut self) {
        self.is_incomplete = true;
    }

    /// This input stays.
    pub(super) fn guard(&mut self, input: &Input) {
        self.guarded.insert(key(&input.name()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::InputStep;
    use stickler_transcript::Bytes;

    fn input(bytes: usize, number: u8) -> Input {
        Input {
            steps: vec![InputStep::Raw {
                bytes: Bytes::from(vec![number; bytes]),
            }],
            ..Input::default()
        }
    }

    #[test]
    fn memory_is_bounded_and_files_hold_the_rest() {
        let mut pool = Pool::new();
        for number in 0..200 {
            let mark = (u32::from(number), 1);
            assert!(pool.note(0, &input(1 << 20, number), &[mark]));
            assert!(pool.memory <= MEMORY);
        }
        assert_eq!(pool.shown(), 200);
        assert!(!pool.note(0, &input(1 << 20, 7), &[(7, 1)]));
        let mut taken = Taken::default();
        let mut seen = 0;
        loop {
            let next = pool.next(1, &mut taken);
            if next.is_empty() {
                break;
            }
            seen += next.len();
        }
        assert_eq!(seen, 200);
        assert!(pool.next(0, &mut Taken::default()).is_empty());
    }
}
