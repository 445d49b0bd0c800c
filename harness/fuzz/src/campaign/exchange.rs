//! How workers and campaigns exchange inputs.

use super::pool::{Place, Taken};
use super::shared::Campaign;
use crate::corpus::{CorpusError, Folder};
use crate::input::Input;
use crate::worth::Mark;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use stickler_suite::lock;

/// How often workers look for inputs that others put into the folder.
const SHARE: Duration = Duration::from_secs(5);

impl Campaign<'_> {
    /// Reads the inputs that others put into the folder. Returns how many there are, and what is none.
    pub(super) fn load(&self) -> Result<(usize, Vec<CorpusError>), CorpusError> {
        let mut folder = lock(&self.folder);
        folder.1 = Instant::now();
        let (mut inputs, mut wrong) = (0, Vec::new());
        for file in folder.0.new_names()? {
            match folder.0.read(&file) {
                Ok(input) => inputs += usize::from(lock(&self.pool).read(&file, input)),
                Err(error) => wrong.push(error),
            }
        }
        Ok((inputs, wrong))
    }

    /// The input at a place. `None` if another campaign has removed it.
    pub(super) fn at(&self, place: Place) -> Option<Arc<Input>> {
        match place {
            Place::Memory(input) => Some(input),
            Place::File(file) => Folder::input(self.setup.corpus, &file).ok().map(Arc::new),
        }
    }

    /// Shares an input that showed these marks, of which one is new.
    pub(super) fn share(&self, worker: usize, input: &Input, marks: &[Mark]) {
        let is_new = {
            let mut pool = lock(&self.pool);
            let is_new = pool.note(worker, input, marks);
            self.counters.corpus.store(pool.shown(), Ordering::Relaxed);
            is_new
        };
        if !is_new || self.setup.limits.replay_only {
            return;
        }
        let added = lock(&self.folder).0.add(input);
        if let Err(error) = added {
            lock(&self.pool).set_incomplete();
            // The campaign goes on: its findings count more than the corpus.
            self.trouble(format!("the corpus is incomplete: {error}"));
        }
        self.trim();
    }

    /// Removes files of inputs that others cover, if there are too many.
    fn trim(&self) {
        let gone = lock(&self.pool).excess();
        let folder = lock(&self.folder);
        for name in gone {
            // What stays costs only room.
            let _ = folder.0.remove(&name);
        }
    }

    /// What other workers found since a worker last asked, and what others put into the folder.
    pub(super) fn found_elsewhere(&self, worker: usize, taken: &mut Taken) -> Vec<Input> {
        let is_due = lock(&self.folder).1.elapsed() >= SHARE;
        if is_due {
            // A folder that cannot be read now may be readable later.
            let _ = self.load();
        }
        let places = lock(&self.pool).next(worker, taken);
        let inputs = places.into_iter().filter_map(|place| self.at(place));
        inputs.map(Arc::unwrap_or_clone).collect()
    }
}
