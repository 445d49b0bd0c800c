//! Plays situations side by side.

use crate::{Played, Table};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How situations are played.
pub struct Settings<'s> {
    /// How many at one time.
    pub jobs: usize,
    /// After this time, no further one begins.
    pub time: Option<Duration>,
    /// Is told each situation that was played.
    pub done: &'s (dyn Fn(&str) + Sync),
    /// Once it is set, no further one begins.
    pub stop: &'s AtomicBool,
}

/// What came of situations: what was seen, or why they could not be played here.
pub type Ran = BTreeMap<usize, Result<Played, String>>;

/// At most so many situations that only wait run beside the others.
const WAITING: usize = 24;

/// After so many situations one after the other in which the agent does not end, no further one is played.
const MOST_HANGS: usize = 12;

/// Plays situations. Those that are missing in the result did not begin in time.
///
/// # Errors
///
/// The first reason why the agent can't be run at all.
pub fn run(table: &dyn Table, chosen: &[usize], settings: &Settings<'_>) -> anyhow::Result<Ran> {
    let began = Instant::now();
    let (waiting, working): (Vec<usize>, Vec<usize>) =
        chosen.iter().partition(|at| table.waits(**at));
    let batches: Vec<&[usize]> = working
        .chunks(size(table, working.len(), settings.jobs))
        .collect();
    let waits: Vec<&[usize]> = waiting.chunks(1).collect();
    let all = Shared {
        table,
        settings,
        began,
        ran: Mutex::new(Ran::new()),
        hangs: AtomicUsize::new(0),
        failed: Mutex::new(None),
    };
    let (next, next_wait) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..waits.len().min(WAITING) {
            scope.spawn(|| all.work(&waits, &next_wait));
        }
        for _ in 1..settings.jobs.min(batches.len()) {
            scope.spawn(|| all.work(&batches, &next));
        }
        all.work(&batches, &next);
    });
    match into_inner(all.failed) {
        Some(failure) => Err(failure),
        None => Ok(into_inner(all.ran)),
    }
}

/// The size of a batch: each worker gets several, so that all end at about the same time.
fn size(table: &dyn Table, count: usize, jobs: usize) -> usize {
    let fair = count.div_ceil(jobs.max(1));
    table.batch().min(fair).max(1)
}

/// What the workers share.
struct Shared<'s> {
    table: &'s dyn Table,
    settings: &'s Settings<'s>,
    began: Instant,
    ran: Mutex<Ran>,
    /// In how many situations the agent did not end since the last one in which it did.
    hangs: AtomicUsize,
    failed: Mutex<Option<anyhow::Error>>,
}

impl Shared<'_> {
    fn is_over(&self) -> bool {
        let late = |time: Duration| self.began.elapsed() >= time;
        self.settings.stop.load(Ordering::Relaxed)
            || self.settings.time.is_some_and(late)
            || lock(&self.failed).is_some()
    }

    fn work(&self, batches: &[&[usize]], next: &AtomicUsize) {
        while !self.is_over()
            && let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed))
        {
            if self.hangs.load(Ordering::Relaxed) >= MOST_HANGS {
                let why = format!(
                    "not played: the agent did not end in {MOST_HANGS} situations one after the other"
                );
                let mut ran = lock(&self.ran);
                ran.extend(batch.iter().map(|at| (*at, Err(why.clone()))));
                continue;
            }
            match self.table.play(batch) {
                Ok(played) => {
                    let mut ran = lock(&self.ran);
                    for (at, played) in batch.iter().zip(played) {
                        (self.settings.done)(self.table.name(*at));
                        self.count_hangs(*at, &played);
                        ran.insert(*at, played);
                    }
                }
                // What was played when the user ended the run did not fail.
                Err(_) if self.settings.stop.load(Ordering::Relaxed) => {}
                Err(failure) => {
                    lock(&self.failed).get_or_insert(failure);
                }
            }
        }
    }

    fn count_hangs(&self, at: usize, played: &Result<Played, String>) {
        match played {
            Ok(played) if !played.hangs() => self.hangs.store(0, Ordering::Relaxed),
            Ok(_) if !self.table.waits(at) => {
                self.hangs.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    match mutex.lock() {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    match mutex.into_inner() {
        Ok(inner) => inner,
        Err(poisoned) => poisoned.into_inner(),
    }
}
