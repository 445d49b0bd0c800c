//! How far a campaign is.

use crate::coverage::LINES;
use crate::novelty::{MARKS, PAIRS, see, set};
use crate::technique::Techniques;
use crate::yields::Yields;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use stickler_judge::Level;
use stickler_suite::lock;

/// How far a campaign is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// For how long it has run.
    pub time: Duration,
    /// How many inputs ran.
    pub cases: u64,
    /// How many messages were sent.
    pub requests: u64,
    /// How many messages that may change the system were answered.
    pub evaluations: u64,
    /// How many processes were started.
    pub processes: u64,
    /// How many inputs the corpus has.
    pub corpus: usize,
    /// How many marks were seen: forms of answers, pairs of them, kinds of effects.
    pub seen: usize,
    /// How many pairs of lines or branches were seen that ran one after the other, if the subject
    /// tells.
    pub lines: Option<usize>,
    /// What these are: `lines` or `branches`.
    pub units: &'static str,
    /// How long ago the last new one came.
    pub since_new: Duration,
    /// How many inputs gave the same in a fresh process, of those that were tried twice.
    pub stable: (u64, u64),
    /// How many defects of level `must`, `should`, `may` were found.
    pub findings: [usize; 3],
}

impl Status {
    /// Counts a defect.
    pub fn count(&mut self, level: Level) {
        self.findings[match level {
            Level::Must => 0,
            Level::Should => 1,
            Level::May => 2,
        }] += 1;
    }

    /// Messages a second.
    pub fn rate(&self) -> f64 {
        self.requests as f64 / self.time.as_secs_f64().max(1e-3)
    }
}

/// The counters that all workers share.
#[derive(Debug)]
pub(crate) struct Counters {
    pub(crate) began: Instant,
    pub(crate) cases: AtomicU64,
    pub(crate) requests: AtomicU64,
    pub(crate) answers: AtomicU64,
    pub(crate) evaluations: AtomicU64,
    pub(crate) processes: AtomicU64,
    pub(crate) corpus: AtomicUsize,
    pub(crate) tried_twice: AtomicU64,
    pub(crate) same: AtomicU64,
    /// Did the subject tell a line?
    pub(crate) covered: AtomicBool,
    /// What each technique brought.
    pub(crate) yields: Yields,
    seen: Mutex<Seen>,
}

/// The marks that were seen.
#[derive(Debug)]
struct Seen {
    /// The highest class of each.
    marks: Vec<u8>,
    /// How many of answers, and how many of lines.
    answers: usize,
    lines: usize,
    /// When the last new one came.
    last: Duration,
}

impl Counters {
    pub(crate) fn new() -> Self {
        Counters {
            began: Instant::now(),
            cases: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            answers: AtomicU64::new(0),
            evaluations: AtomicU64::new(0),
            processes: AtomicU64::new(0),
            corpus: AtomicUsize::new(0),
            tried_twice: AtomicU64::new(0),
            same: AtomicU64::new(0),
            covered: AtomicBool::new(false),
            yields: Yields::new(),
            seen: Mutex::new(Seen {
                marks: vec![0; MARKS + PAIRS + LINES],
                answers: 0,
                lines: 0,
                last: Duration::ZERO,
            }),
        }
    }

    /// Notes the marks of an input that these techniques made. Is one of them new?
    pub(crate) fn see(&self, map: &[u8], by: Techniques) -> bool {
        let mut first = 0;
        let mut guard = lock(&self.seen);
        let seen = &mut *guard;
        let is_new = see(&mut seen.marks, map, |at| {
            first += 1;
            match at {
                ..MARKS => seen.answers += 1,
                at if at < MARKS + PAIRS => {}
                _ => seen.lines += 1,
            }
        });
        self.yields.showed(by, first);
        if is_new {
            seen.last = self.began.elapsed();
        }
        is_new
    }

    /// Is one of the marks of an input new?
    pub(crate) fn would_see(&self, map: &[u8]) -> bool {
        !self.unseen(map).is_empty()
    }

    /// The marks of an input that are new.
    pub(crate) fn unseen(&self, map: &[u8]) -> Vec<usize> {
        let seen = lock(&self.seen);
        let is_new =
            |(at, mark): &(usize, u8)| seen.marks.get(*at).is_some_and(|known| mark > known);
        set(map).filter(is_new).map(|(at, _)| at).collect()
    }

    pub(crate) fn status(&self, units: &'static str) -> Status {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let time = self.began.elapsed();
        let seen = lock(&self.seen);
        Status {
            time,
            cases: count(&self.cases),
            requests: count(&self.requests),
            evaluations: count(&self.evaluations),
            processes: count(&self.processes),
            corpus: self.corpus.load(Ordering::Relaxed),
            seen: seen.answers,
            lines: self.covered.load(Ordering::Relaxed).then_some(seen.lines),
            since_new: time.saturating_sub(seen.last),
            stable: (count(&self.same), count(&self.tried_twice)),
            findings: [0; 3],
            units,
        }
    }
}
