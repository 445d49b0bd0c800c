//! What a run has learned about the subject so far.

use crate::config::Config;
use crate::instance::scratch_dir;
use crate::undo::undo;
use crate::vocabulary::{Pace, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use stickler_judge::AnySession;
use stickler_reading::{Exchange, is_harness};
use stickler_transcript::{
    Bytes, ChangeKind, Deadlines, Drift, Entry, Event, FileType, Key, Name, Purpose,
};

/// The largest content that is kept, in bytes.
const MOST_CONTENT: usize = 64 << 10;

/// How many paths [`Knowledge::own_files`] returns at most.
const MOST_OWN: usize = 100;
/// The least deadline for the opening of a process, in microseconds.
const OPENING_US: u64 = 10_000_000;

/// The number of calls that a counter holds, before the names of the commands.
fn counted(counter: &str) -> Option<u32> {
    counter.split_whitespace().next()?.parse().ok()
}

/// The stand-ins of these names that no evaluation called, in sessions that count their calls. `None` if there are no
/// such sessions.
pub fn never_called<'n>(
    names: impl Iterator<Item = &'n str>,
    sessions: &[AnySession],
) -> Option<Vec<&'n str>> {
    let is_counting = |session: &&AnySession| {
        let mut exchanges = session.reading().exchanges();
        exchanges.any(|one| {
            one.key.parted().0.turn_of(Purpose::COUNTED).is_some() && one.took().is_some()
        })
    };
    let mut counting = sessions.iter().filter(is_counting).peekable();
    counting.peek()?;
    let mut called = BTreeSet::new();
    for session in counting {
        for event in &session.reading().transcript().events {
            let Event::Effects { changes, .. } = event else {
                continue;
            };
            let counters = changes.iter().filter(|change| is_harness(change));
            let contents = counters.filter_map(|one| one.after.as_ref()?.content.as_ref());
            for content in contents {
                called.extend(
                    content
                        .lossy()
                        .split_whitespace()
                        .skip(1)
                        .map(str::to_owned),
                );
            }
        }
    }
    Some(names.filter(|name| !called.contains(*name)).collect())
}

/// What is known about the subject, in any dialect.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// Did it answer its opening message as it should?
    pub understood: bool,
    /// Can it say what it would change without changing it?
    pub dry: bool,
    /// The time from start to first answer, microseconds.
    pub start_us: Option<u64>,
    /// Does it answer requests?
    pub usable: bool,
    /// Labels of examples whose validation is `valid`.
    pub valid: BTreeSet<Name>,
    /// Labels of examples whose first evaluation is `repaired`.
    pub repaired: BTreeSet<Name>,
    /// How long the first evaluation took, by label, microseconds.
    pub evaluation_us: Vec<(Name, u64)>,
    /// How long the quickest evaluation took, by label, microseconds.
    pub quickest_us: BTreeMap<Name, u64>,
    /// How many calls that change files the first evaluation made, by label.
    pub writes: BTreeMap<Name, u32>,
    /// How often an evaluation of an example calls stand-ins for commands, by label.
    pub calls: BTreeMap<Name, u32>,
    /// Paths that only stand-ins for commands changed in first evaluations.
    pub foreign: BTreeSet<Vec<u8>>,
    /// Paths that only the subject's own process changed in them.
    pub own: BTreeSet<Vec<u8>>,
    /// Files that the examples made in the scratch directory, by label.
    pub made: Vec<(Name, Vec<u8>)>,
    /// The contents of these files at that time, if they are small.
    pub contents: BTreeMap<(Name, Vec<u8>), Bytes>,
    /// Text files that existed before an evaluation of an example and that it changed: before and after, by label and
    /// path.
    pub edited: BTreeMap<(Name, Vec<u8>), (Bytes, Bytes)>,
    /// Symbolic links that the examples made there, by label.
    pub links: Vec<(Name, Vec<u8>)>,
    /// Directories that the examples made there, by label.
    pub directories: Vec<(Name, Vec<u8>)>,
    /// Everything that evaluations of the examples touched, by label, except files that the module
    /// keeps for itself.
    pub touched: BTreeSet<(Name, Vec<u8>)>,
    /// The examples whose evaluations touched files that the module keeps for itself.
    pub keeps_state: BTreeSet<Name>,
    /// The steps that undo the first evaluation of an example, by label.
    pub undone: BTreeMap<Name, Vec<Drift>>,
}

impl Knowledge {
    /// Notes how long after its start a process gave its first answer.
    pub fn started(&mut self, took: u64) {
        self.start_us = Some(self.start_us.map_or(took, |known| known.min(took)));
    }

    /// Notes how often the stand-ins for commands were called, in sessions that count that.
    pub(crate) fn count(&mut self, session: &AnySession) {
        for event in &session.reading().transcript().events {
            let Event::Effects { point, changes, .. } = event else {
                continue;
            };
            let counter = changes.iter().find(|change| is_harness(change));
            let content = counter.and_then(|one| one.after.as_ref()?.content.as_ref());
            let key = Key::parse(point);
            let label = key
                .label()
                .filter(|_| key.turn_of(Purpose::COUNTED).is_some());
            if let (Some(content), Some(label)) = (content, label)
                && let Some(count) = counted(&content.lossy())
            {
                let known = self.calls.entry(label.into()).or_default();
                *known = count.max(*known);
            }
        }
    }

    /// Notes an evaluation of an item. `changed`: does the answer say that it changed something?
    /// `is_own`: does the subject keep this path for itself?
    pub fn evaluated(
        &mut self,
        exchange: &Exchange,
        changed: bool,
        is_own: impl Fn(&[u8]) -> bool,
    ) {
        let Some(label) = &exchange.item else {
            return;
        };
        if let Some(writes) = &exchange.writes {
            self.writes.insert(label.clone(), writes.count);
            self.foreign
                .extend(writes.foreign.iter().map(|path| path.to_vec()));
            self.own.extend(writes.own.iter().map(|path| path.to_vec()));
        }
        if let Some(took) = exchange.took() {
            let known = self.quickest_us.entry(label.clone()).or_insert(took);
            *known = took.min(*known);
        }
        if !exchange.key.is(Purpose::EVALUATE) {
            return;
        }
        if let Some(took) = exchange.took() {
            self.evaluation_us.push((label.clone(), took));
        }
        if changed {
            self.repaired.insert(label.clone());
            let drifts = exchange.all_effects().and_then(undo);
            if let Some(drifts) = drifts {
                self.undone.entry(label.clone()).or_insert(drifts);
            }
        }
        for change in exchange.effects.iter().flatten() {
            if is_own(&change.path) {
                self.keeps_state.insert(label.clone());
            } else {
                self.touched.insert((label.clone(), change.path.to_vec()));
            }
            let made = || (label.clone(), change.path.to_vec());
            let content = |entry: &Option<Entry>| entry.as_ref()?.content.clone();
            if let (Some(before), Some(after)) = (content(&change.before), content(&change.after))
                && change.kind == ChangeKind::Changed
                && !is_own(&change.path)
            {
                self.edited.entry(made()).or_insert((before, after));
            }
            let content = change
                .after
                .as_ref()
                .and_then(|entry| entry.content.as_ref());
            if let Some(content) = content.filter(|content| content.len() <= MOST_CONTENT) {
                self.contents.insert(made(), content.clone());
            }
            match change.after.as_ref().map(|entry| entry.kind) {
                Some(FileType::File) => self.made.push(made()),
                Some(FileType::Link) => self.links.push(made()),
                Some(FileType::Directory) => self.directories.push(made()),
                _ => {}
            }
        }
    }

    /// How long the first evaluation of an example took, microseconds.
    pub fn evaluation_of(&self, label: &str) -> Option<u64> {
        self.evaluation_us
            .iter()
            .filter(|(known, _)| known == label)
            .map(|(_, took)| *took)
            .min()
    }

    /// The files in the first scratch directory that an example makes. Files made by stand-ins for
    /// commands count only if there are no others.
    pub fn made_by(&self, label: &str) -> Vec<&[u8]> {
        let files = in_scratch(&self.made, label);
        let (foreign, own): (Vec<_>, Vec<_>) = files
            .into_iter()
            .partition(|path| self.foreign.contains(*path));
        if own.is_empty() { foreign } else { own }
    }

    /// The files that an example makes anywhere, without those that only stand-ins for commands change.
    pub fn all_made_by(&self, label: &str) -> Vec<&[u8]> {
        let made = self.made.iter().filter(|(known, _)| known == label);
        let paths: BTreeSet<&[u8]> = made.map(|(_, path)| &path[..]).collect();
        let is_own = |path: &&[u8]| !self.foreign.contains(*path);
        paths.into_iter().filter(is_own).collect()
    }

    /// The content that an example gave a file, if it is small.
    pub fn content(&self, label: &str, file: &[u8]) -> Option<&Bytes> {
        self.contents.get(&(label.into(), file.to_vec()))
    }

    /// The text files that an example edits, each with its content before and after.
    pub fn edited_by(&self, label: &str) -> impl Iterator<Item = (&[u8], &Bytes, &Bytes)> {
        let own = self
            .edited
            .iter()
            .filter(move |((known, _), _)| known == label);
        own.map(|((_, path), (before, after))| (&path[..], before, after))
    }

    /// The links in the first scratch directory that an example makes.
    pub fn links_by(&self, label: &str) -> Vec<&[u8]> {
        in_scratch(&self.links, label)
    }

    /// The directories in the first scratch directory that an example makes.
    pub fn directories_by(&self, label: &str) -> Vec<&[u8]> {
        in_scratch(&self.directories, label)
    }

    /// The paths that the subject's own process makes for the examples, up to a limit.
    pub fn own_files(&self) -> impl Iterator<Item = &[u8]> {
        let made: BTreeSet<&[u8]> = self.made.iter().map(|(_, path)| &path[..]).collect();
        let own = self.own.iter().map(|path| &path[..]);
        own.filter(move |path| made.contains(path)).take(MOST_OWN)
    }

    fn evaluation_deadline(&self) -> u64 {
        let slowest = self.evaluation_us.iter().map(|(_, took)| *took).max();
        slowest.map_or(30_000_000, |took| {
            took.saturating_mul(100).clamp(10_000_000, 30_000_000)
        })
    }

    /// The deadlines that the author set. By default: at least two seconds, ten for the opening,
    /// and twenty times the subject's start time; for an evaluation half a minute, or less if it is known to be quick.
    pub fn deadlines(&self, config: &Config, words: &Vocabulary) -> Deadlines {
        let usual = self.start_us.unwrap_or(0).saturating_mul(20).max(2_000_000);
        let mut deadlines = Deadlines::default();
        for (phase, pace) in words.phases {
            let usual = match pace {
                // A large program may start slowly from a cold disk.
                Pace::Quick if words.opening == Some(*phase) => usual.max(OPENING_US),
                Pace::Quick => usual,
                Pace::Work => self.evaluation_deadline(),
            };
            let set = config.subject.deadlines.get(phase);
            deadlines.set(*phase, set.map_or(usual, |seconds| (seconds * 1e6) as u64));
        }
        deadlines
    }
}

/// The paths that an example made in the first scratch directory, sorted, without duplicates.
fn in_scratch<'k>(made: &'k [(Name, Vec<u8>)], label: &str) -> Vec<&'k [u8]> {
    let root = format!("{}/", scratch_dir(0)).into_bytes();
    let paths: BTreeSet<&[u8]> = made
        .iter()
        .filter(|(known, path)| known == label && path.starts_with(&root))
        .map(|(_, path)| &path[..])
        .collect();
    paths.into_iter().collect()
}
