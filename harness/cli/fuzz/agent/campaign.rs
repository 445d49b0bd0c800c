//! Makes up situations, guided by what earlier ones showed, and plays them side by side.
//!
//! Situations are made in rounds: all of a round are chosen before one of it is played, and what came of them is looked
//! at in their order. So a seed chooses the same situations with any number of workers.

use super::ended::{End, Ended, Found, Status};
use super::judging::{DIFFERENCE, Judging, Shown};
use super::view::View;
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use stickler_conform::{Maker, Tried};
use stickler_face::Failure;
use stickler_face::conform::cannot_run;
use stickler_face::side_by_side::{lock, side_by_side};
use stickler_fuzz::Limits;
use stickler_transcript::Event;

/// How many situations a round has.
const ROUND: usize = 24;
/// How often a situation is changed that showed something new, before others are.
const FIRST: usize = 3;
/// How many situations are played to make one smaller.
const SMALLER: usize = 50;
/// How many situations in which an agent only waits run beside the others.
const WAITING: usize = 6;
/// How long one of them may take.
const WAIT: Duration = Duration::from_secs(75);

/// How a campaign runs.
pub(super) struct Settings<'s> {
    pub(super) seed: u64,
    pub(super) jobs: usize,
    pub(super) limits: Limits,
    pub(super) strict: bool,
    pub(super) stop: &'s AtomicBool,
}

pub(super) struct Campaign<'c> {
    maker: &'c dyn Maker,
    judging: &'c Judging<'c>,
    view: &'c View<'c>,
    settings: Settings<'c>,
    began: Instant,
    status: Status,
    number: u64,
    shown: BTreeSet<String>,
    corpus: Vec<Value>,
    /// Those of the corpus that are changed before others.
    fresh: VecDeque<usize>,
    known: BTreeSet<String>,
    found: Vec<Found>,
    samples: Vec<Status>,
}

/// A situation that was played, and the defects that it shows.
type Outcome = (Tried, Vec<Shown>);

impl<'c> Campaign<'c> {
    pub(super) fn new(
        maker: &'c dyn Maker,
        judging: &'c Judging<'c>,
        view: &'c View<'c>,
        settings: Settings<'c>,
    ) -> Self {
        Self {
            maker,
            judging,
            view,
            settings,
            began: Instant::now(),
            status: Status::default(),
            number: 0,
            shown: BTreeSet::new(),
            corpus: Vec::new(),
            fresh: VecDeque::new(),
            known: BTreeSet::new(),
            found: Vec::new(),
            samples: Vec::new(),
        }
    }

    /// Runs until a limit is reached.
    ///
    /// # Errors
    /// If the agent cannot be run.
    pub(super) fn run(mut self) -> Result<Ended, Failure> {
        let waited: Mutex<Vec<Result<Outcome, Failure>>> = Mutex::default();
        let waiting = AtomicUsize::new(0);
        let (maker, judging) = (self.maker, self.judging);
        let end = std::thread::scope(|scope| {
            loop {
                if let Some(end) = self.end() {
                    return Ok::<End, Failure>(end);
                }
                let mut round = Vec::new();
                for situation in self.round() {
                    if !maker.waits(&situation) {
                        round.push(situation);
                    } else if self.may_wait() && waiting.load(Ordering::Relaxed) < WAITING {
                        waiting.fetch_add(1, Ordering::Relaxed);
                        let (waited, waiting) = (&waited, &waiting);
                        scope.spawn(move || {
                            let outcome = tried(maker, judging, &situation, true);
                            lock(waited).push(outcome);
                            waiting.fetch_sub(1, Ordering::Relaxed);
                        });
                    }
                }
                let played = self.side_by_side(&round)?;
                for (tried, shown) in &played {
                    self.learn(tried, !shown.is_empty());
                }
                self.tell(played)?;
                self.tell_waited(&waited)?;
                self.status.time = self.began.elapsed();
                self.samples.push(self.status);
                self.view.status(&self.status, &self.found);
            }
        })?;
        self.tell_waited(&waited)?;
        self.status.time = self.began.elapsed();
        Ok(Ended {
            status: self.status,
            found: self.found,
            samples: self.samples,
            end,
        })
    }

    fn end(&self) -> Option<End> {
        let Limits {
            time,
            cases,
            until_finding,
            ..
        } = self.settings.limits;
        let fails = |one: &Found| one.outcome.fails(self.settings.strict);
        if self.settings.stop.load(Ordering::Relaxed) {
            return Some(End::Interrupted);
        }
        if until_finding && self.found.iter().any(fails) {
            return Some(End::Finding);
        }
        let late = time.is_some_and(|time| self.began.elapsed() >= time);
        let enough = cases.is_some_and(|cases| self.number >= cases);
        (late || enough).then_some(End::Limit)
    }

    /// Is there time for a situation in which an agent waits, and anything to learn of it?
    fn may_wait(&self) -> bool {
        let left = |time: Duration| time.saturating_sub(self.began.elapsed()) >= WAIT;
        let hangs = |one: &Found| self.maker.waits(&one.situation);
        self.settings.limits.time.is_none_or(left) && !self.found.iter().any(hangs)
    }

    /// The next situations.
    fn round(&mut self) -> Vec<Value> {
        let left = self
            .settings
            .limits
            .cases
            .map(|cases| cases.saturating_sub(self.number));
        let count = left.map_or(ROUND, |left| {
            usize::try_from(left).unwrap_or(ROUND).min(ROUND)
        });
        let mut round = Vec::new();
        for _ in 0..count {
            self.number += 1;
            let seed = mixed(self.settings.seed, self.number);
            let parent = match self.fresh.pop_front() {
                Some(fresh) => Some(fresh),
                None if self.corpus.is_empty() || seed.is_multiple_of(2) => None,
                None => usize::try_from((seed >> 8) % self.corpus.len() as u64).ok(),
            };
            let parent = parent.map(|at| &self.corpus[at]);
            let name = format!("fuzz/{}-{}", self.settings.seed, self.number);
            round.push(self.maker.make(&name, seed, parent));
        }
        round
    }

    fn side_by_side(&self, round: &[Value]) -> Result<Vec<Outcome>, Failure> {
        let next = AtomicUsize::new(0);
        let outcomes: Vec<Mutex<Option<Outcome>>> =
            round.iter().map(|_| Mutex::default()).collect();
        side_by_side(
            self.settings.jobs,
            || {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let stops = self.settings.stop.load(Ordering::Relaxed);
                (at < round.len() && !stops && !self.is_late()).then_some(at)
            },
            |at| {
                *lock(&outcomes[at]) = Some(tried(self.maker, self.judging, &round[at], true)?);
                Ok(())
            },
        )?;
        let outcomes = outcomes.iter();
        Ok(outcomes.filter_map(|one| lock(one).take()).collect())
    }

    fn is_late(&self) -> bool {
        let late = |time| self.began.elapsed() >= time;
        self.settings.limits.time.is_some_and(late)
    }

    fn learn(&mut self, tried: &Tried, fails: bool) {
        self.status.cases += 1;
        let events = tried.played.sessions.iter().flat_map(|one| &one.events);
        self.status.requests += events
            .filter(|event| matches!(event, Event::In { .. }))
            .count() as u64;
        if self.shown.insert(tried.shown.clone()) {
            self.status.last_new = self.began.elapsed();
            // Whatever is made of a crash crashes as well.
            if !fails {
                self.corpus.push(tried.situation.clone());
                let own = self.corpus.len() - 1;
                self.fresh.extend([own; FIRST]);
            }
        }
        self.status.corpus = self.corpus.len();
    }

    /// Tells the defects that are new, as the smallest situations that show them.
    fn tell(&mut self, played: Vec<Outcome>) -> Result<(), Failure> {
        let mut new = Vec::new();
        for (tried, shown) in played {
            for one in shown {
                if self.known.insert(one.signature.clone()) {
                    new.push((tried.clone(), one));
                }
            }
        }
        let next = AtomicUsize::new(0);
        let small: Vec<Mutex<Option<(Tried, Shown)>>> =
            new.iter().map(|_| Mutex::default()).collect();
        side_by_side(
            self.settings.jobs,
            || {
                let at = next.fetch_add(1, Ordering::Relaxed);
                (at < new.len()).then_some(at)
            },
            |at| {
                let (tried, shown) = &new[at];
                *lock(&small[at]) = self.smallest(tried, shown)?;
                Ok(())
            },
        )?;
        for one in small {
            match lock(&one).take() {
                Some((tried, shown)) => self.add(&tried, shown),
                None => self.status.unstable += 1,
            }
        }
        Ok(())
    }

    fn tell_waited(
        &mut self,
        waited: &Mutex<Vec<Result<Outcome, Failure>>>,
    ) -> Result<(), Failure> {
        let all: Vec<_> = lock(waited).drain(..).collect();
        for outcome in all {
            let (tried, shown) = outcome?;
            self.learn(&tried, true);
            for one in shown {
                // It takes too long to be made smaller.
                if self.known.insert(one.signature.clone()) {
                    self.add(&tried, one);
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, tried: &Tried, shown: Shown) {
        let mut found = Found {
            rule: shown.rule,
            signature: shown.signature,
            outcome: shown.outcome,
            situation: tried.situation.clone(),
            transcripts: self.judging.transcripts(tried),
            at: self.began.elapsed(),
            cases: self.status.cases,
        };
        self.view.found(&mut found);
        self.found.push(found);
    }

    /// The smallest situation that shows a defect; `None` if it does not show again.
    fn smallest(&self, first: &Tried, shown: &Shown) -> Result<Option<(Tried, Shown)>, Failure> {
        let again = |situation: &Value, compared| -> Result<Option<(Tried, Shown)>, Failure> {
            let (tried, all) = tried(self.maker, self.judging, situation, compared)?;
            let same = all.into_iter().find(|one| one.signature == shown.signature);
            Ok(same.map(|same| (tried, same)))
        };
        // Each further time takes as long.
        if first.hung && self.is_late() {
            return Ok(Some((first.clone(), shown.clone())));
        }
        let Some(first_again) = again(&first.situation, true)? else {
            return Ok(None);
        };
        if first.hung {
            return Ok(Some(first_again));
        }
        let mut best = first_again.clone();
        let mut left = SMALLER;
        // Rules need no reference agent.
        let compared = shown.rule == DIFFERENCE;
        let mut before = BTreeSet::new();
        'smaller: loop {
            for candidate in self.maker.smaller(&best.0.situation) {
                let stops = self.settings.stop.load(Ordering::Relaxed) || self.is_late();
                if left == 0 || stops {
                    break 'smaller;
                }
                if !before.insert(bare(&candidate)) {
                    continue;
                }
                left -= 1;
                if let Some(smaller) = again(&candidate, compared)? {
                    best = smaller;
                    continue 'smaller;
                }
            }
            break;
        }
        if compared {
            return Ok(Some(best));
        }
        // With what the reference agent does, it must show as well.
        let whole = again(&best.0.situation, true)?;
        Ok(Some(whole.unwrap_or(first_again)))
    }
}

/// A situation without what the reference agent did.
fn bare(situation: &Value) -> String {
    let mut bare = situation.clone();
    if let Some(members) = bare.as_object_mut() {
        members.remove("want");
        members.remove("only");
    }
    bare.to_string()
}

fn tried(
    maker: &dyn Maker,
    judging: &Judging<'_>,
    situation: &Value,
    compared: bool,
) -> Result<Outcome, Failure> {
    let tried = maker
        .play(situation, compared)
        .map_err(|error| cannot_run(&error))?;
    let shown = judging.shown(&tried);
    Ok((tried, shown))
}

/// A seed of its own for each situation.
fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
