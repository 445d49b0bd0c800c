//! What a run has learned of the subject so far.

use crate::config::Config;
use crate::instance::scratch_dir;
use crate::undo::undo;
use crate::vocabulary::{Pace, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use stickler_reading::Exchange;
use stickler_transcript::{Bytes, Deadlines, Drift, Facts, FileType, Name};

/// The largest content that is remembered, in bytes.
const MOST_CONTENT: usize = 64 << 10;

/// So many paths at most are noted in each case.
const MOST_OWN: usize = 100;

/// What is known of the subject.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// What the dialect has learned for itself.
    pub facts: Facts,
    /// It said how it is spoken with.
    pub understood: bool,
    /// It can be asked what it would change.
    pub dry: bool,
    /// From start to its first answer, microseconds.
    pub start_us: Option<u64>,
    /// It answers requests.
    pub usable: bool,
    /// Labels of examples whose validation is `valid`.
    pub valid: BTreeSet<Name>,
    /// Labels of examples whose first evaluation is `repaired`.
    pub repaired: BTreeSet<Name>,
    /// How long the first evaluation took, by label, microseconds.
    pub evaluation_us: Vec<(Name, u64)>,
    /// How many calls that change files the first evaluation took, by label.
    pub writes: BTreeMap<Name, u32>,
    /// What the first evaluations had changed by stand-ins for commands alone.
    pub foreign: BTreeSet<Vec<u8>>,
    /// What the subject's own process changed in them, with no other program.
    pub own: BTreeSet<Vec<u8>>,
    /// Files that the examples made in the scratch directory, by label.
    pub made: Vec<(Name, Vec<u8>)>,
    /// What they held then, where it is not large.
    pub contents: BTreeMap<(Name, Vec<u8>), Bytes>,
    /// Symbolic links that the examples made there, by label.
    pub links: Vec<(Name, Vec<u8>)>,
    /// Directories that the examples made there, by label.
    pub directories: Vec<(Name, Vec<u8>)>,
    /// Everything that evaluations of the examples touched, by label, but for what the
    /// module keeps for itself.
    pub touched: BTreeSet<(Name, Vec<u8>)>,
    /// What takes back what the first evaluation of an example did, by label.
    pub undone: BTreeMap<Name, Vec<Drift>>,
}

impl Knowledge {
    /// A process gave its first answer so long after its start.
    pub fn started(&mut self, took: u64) {
        self.start_us = Some(self.start_us.map_or(took, |known| known.min(took)));
    }

    /// An item was evaluated. `changed`: as its answer says; `is_own`: is a path what the subject
    /// keeps for itself?
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
        if !exchange.key.starts_with("e:") {
            return;
        }
        if let Some(took) = exchange.took() {
            self.evaluation_us.push((label.clone(), took));
        }
        if changed {
            self.repaired.insert(label.clone());
            let drifts = exchange.effects.as_deref().and_then(undo);
            if let Some(drifts) = drifts {
                self.undone.entry(label.clone()).or_insert(drifts);
            }
        }
        for change in exchange.effects.iter().flatten() {
            if !is_own(&change.path) {
                self.touched.insert((label.clone(), change.path.to_vec()));
            }
            let made = || (label.clone(), change.path.to_vec());
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

    /// The files in the first scratch directory that an example makes; those of stand-ins for
    /// commands where there are no others.
    pub fn made_by(&self, label: &str) -> Vec<&[u8]> {
        let files = in_scratch(&self.made, label);
        let (foreign, own): (Vec<_>, Vec<_>) = files
            .into_iter()
            .partition(|path| self.foreign.contains(*path));
        if own.is_empty() { foreign } else { own }
    }

    /// What an example made of a file, where it is not large.
    pub fn content(&self, label: &str, file: &[u8]) -> Option<&Bytes> {
        self.contents.get(&(label.into(), file.to_vec()))
    }

    /// The links in the first scratch directory that an example makes.
    pub fn links_by(&self, label: &str) -> Vec<&[u8]> {
        in_scratch(&self.links, label)
    }

    /// The directories in the first scratch directory that an example makes.
    pub fn directories_by(&self, label: &str) -> Vec<&[u8]> {
        in_scratch(&self.directories, label)
    }

    /// What the examples make by the subject's own process, as far as that is not very much.
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

    /// The deadlines: what the author set, else at least two seconds and twenty
    /// times the subject's own start; for an evaluation half a minute, and less
    /// where it is known to be quick.
    pub fn deadlines(&self, config: &Config, words: &Vocabulary) -> Deadlines {
        let usual = self.start_us.unwrap_or(0).saturating_mul(20).max(2_000_000);
        let mut deadlines = Deadlines::default();
        for (phase, pace) in words.phases {
            let usual = match pace {
                Pace::Quick => usual,
                Pace::Work => self.evaluation_deadline(),
            };
            let set = config.subject.deadlines.get(phase);
            deadlines.set(*phase, set.map_or(usual, |seconds| (seconds * 1e6) as u64));
        }
        deadlines
    }
}

/// What an example made in the first scratch directory, each once and in order.
fn in_scratch<'k>(made: &'k [(Name, Vec<u8>)], label: &str) -> Vec<&'k [u8]> {
    let root = format!("{}/", scratch_dir(0)).into_bytes();
    let paths: BTreeSet<&[u8]> = made
        .iter()
        .filter(|(known, path)| known == label && path.starts_with(&root))
        .map(|(_, path)| &path[..])
        .collect();
    paths.into_iter().collect()
}
