//! Judges sessions beside the run that holds them, and tells what fails.
//!
//! Looks and proofs get a small share of the CPU time of the run. A proof that is not done when the
//! last session ends is given up: the end of a check proves everything that is left.

use super::Pool;
use crate::lock::lock;
use crate::observer::{SoFar, Watch};
use std::collections::{BTreeSet, VecDeque};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Thread, park_timeout};
use std::time::{Duration, Instant};
use stickler_judge::AnySession;
use stickler_transcript::Phase;

/// A run that is over earlier tells nothing: its report comes soon enough.
const FIRST: Duration = Duration::from_secs(2);
/// How long it waits before it looks again.
const EVERY: Duration = Duration::from_millis(300);
/// It takes this part of the time of all jobs, at most.
const SHARE: u32 = 10;
/// A look is due when there is this part more to see.
const RARER: usize = 6;

/// Ends the lookout when it is dropped, also if a worker panics.
pub(super) struct End<'o> {
    pub over: &'o AtomicBool,
    pub lookout: Option<Thread>,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(lookout) = &self.lookout {
            lookout.unpark();
        }
    }
}

impl Pool<'_, '_> {
    /// Looks now and then until `over` is set.
    pub(super) fn look_out(&self, watch: &dyn Watch, earlier: &[AnySession], over: &AtomicBool) {
        let jobs = u32::try_from(self.runner.settings.jobs.max(1)).unwrap_or(1);
        // Judging uses all CPUs.
        let judges = std::thread::available_parallelism().map_or(1, NonZero::get);
        let judges = u32::try_from(judges).unwrap_or(1);
        let mut spent = Duration::ZERO;
        let mut copy = Copied::of(earlier);
        let mut open = BTreeSet::new();
        let mut failures = VecDeque::new();
        while !over.load(Ordering::Relaxed) && !self.runner.stopped() {
            let passed = self.runner.began.elapsed();
            let affords = passed >= FIRST && spent <= passed * jobs / SHARE;
            let began = Instant::now();
            if affords && let Some(failure) = failures.pop_front() {
                let hangs = self.runner.budget.proven();
                // An error of the harness meets the end of the check too, which reports it.
                let _ = watch.proves(&copy.so_far(&open, &hangs), vec![failure], over);
                spent += began.elapsed();
            } else if affords && copy.lags(self) {
                // What is not open now is whole in a copy that is made later.
                open = lock(&self.open).keys().cloned().collect();
                copy.follow(self);
                let hangs = self.runner.budget.proven();
                failures = watch.failures(&copy.so_far(&open, &hangs)).into();
                spent += began.elapsed() * judges;
            }
            if failures.is_empty() || !affords {
                park_timeout(EVERY);
            }
        }
    }
}

/// The sessions so far. Contents are shared with the run's own record, and not copied.
struct Copied {
    /// The places of the sessions: those of earlier stages come first.
    places: Vec<Option<(usize, usize)>>,
    sessions: Vec<AnySession>,
    /// How many of the stage's sessions are copied.
    number: usize,
}

impl Copied {
    fn of(earlier: &[AnySession]) -> Self {
        Copied {
            places: vec![None; earlier.len()],
            sessions: earlier.to_vec(),
            number: 0,
        }
    }

    /// Has the stage so many more sessions than the copy that a look is due? Looks become rarer,
    /// since each judges all sessions.
    fn lags(&self, pool: &Pool<'_, '_>) -> bool {
        lock(&pool.held).len() > self.number + self.number / RARER
    }

    fn follow(&mut self, pool: &Pool<'_, '_>) {
        let held = lock(&pool.held);
        let new = held.get(self.number..).unwrap_or_default();
        let new = new.iter().map(|one| {
            let place = Some((one.index, one.tries));
            (place, one.session.clone())
        });
        let new: Vec<(Option<(usize, usize)>, AnySession)> = new.collect();
        self.number = held.len();
        drop(held);
        for (place, session) in new {
            let at = self.places.partition_point(|known| *known <= place);
            self.places.insert(at, place);
            self.sessions.insert(at, session);
        }
    }

    fn so_far<'s>(&'s self, open: &'s BTreeSet<String>, hangs: &'s [Phase]) -> SoFar<'s> {
        SoFar {
            sessions: &self.sessions,
            open,
            hangs,
        }
    }
}
