//! Makes up situations, guided by what earlier ones showed, and plays them side by side.
//!
//! Situations are made in rounds: all of a round are chosen before one of it is played, and what came of them is looked
//! at in their order. So a seed chooses the same situations with any number of workers. What was found is made smaller
//! beside the next rounds, which do not depend on it.

use super::ended::{End, Ended, Found, Status};
use super::follow::Follow;
use super::judging::{DIFFERENCE, Judging, Shown};
use super::view::View;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
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
/// A campaign that takes at least as long begins with such situations, and waits for their ends.
const LONG: Duration = Duration::from_secs(60);
/// How many these are.
const SILENT: u64 = 3;
/// How often it is looked whether the user ended the campaign.
const LOOK: Duration = Duration::from_millis(100);

/// How a campaign runs.
#[derive(Clone)]
pub(super) struct Settings<'s> {
    pub(super) seed: u64,
    pub(super) jobs: usize,
    pub(super) limits: Limits,
    pub(super) strict: bool,
    /// Set once the user ended the campaign.
    pub(super) stop: &'s AtomicBool,
    /// Ends the agents that run.
    pub(super) cancel: &'s AtomicBool,
}

pub(super) struct Campaign<'c> {
    maker: &'c dyn Maker,
    judging: &'c Judging<'c>,
    follow: &'c Follow<'c>,
    view: &'c View<'c>,
    settings: Settings<'c>,
    began: Instant,
    status: Status,
    number: u64,
    shown: BTreeSet<String>,
    /// The branches that ran, at their highest classes.
    branches: BTreeMap<usize, u8>,
    corpus: Vec<Value>,
    /// Those of the corpus that are changed before others.
    fresh: VecDeque<usize>,
    known: BTreeSet<String>,
    /// Rules and smallest situations of what was told.
    told: BTreeSet<String>,
    found: Vec<Found>,
    samples: Vec<Status>,
}

/// A situation that was played, the defects that it shows, and the agent's branches that ran.
struct Outcome {
    tried: Tried,
    shown: Vec<Shown>,
    branches: Vec<(usize, u8)>,
}

/// A defect, with a situation that shows it.
type Case = (Tried, Shown);

/// What runs beside the rounds.
#[derive(Default)]
struct Beside {
    /// How many situations in which an agent waits are played.
    waiting: AtomicUsize,
    /// What came of them.
    waited: Mutex<Vec<Result<Outcome, Failure>>>,
    /// Defects that are to be shown by smaller situations.
    large: Mutex<VecDeque<Case>>,
    /// How many threads do that.
    smaller: AtomicUsize,
    /// What came of it, in the order in which it ended; `None` if a defect did not show again.
    small: Mutex<Vec<Result<Option<Case>, Failure>>>,
    /// The rounds are over.
    over: AtomicBool,
}

impl<'c> Campaign<'c> {
    pub(super) fn new(
        maker: &'c dyn Maker,
        judging: &'c Judging<'c>,
        follow: &'c Follow<'c>,
        view: &'c View<'c>,
        settings: Settings<'c>,
    ) -> Self {
        Self {
            maker,
            judging,
            follow,
            view,
            settings,
            began: Instant::now(),
            status: Status::default(),
            number: 0,
            shown: BTreeSet::new(),
            branches: BTreeMap::new(),
            corpus: Vec::new(),
            fresh: VecDeque::new(),
            known: BTreeSet::new(),
            told: BTreeSet::new(),
            found: Vec::new(),
            samples: Vec::new(),
        }
    }

    /// Runs until a limit is reached.
    ///
    /// # Errors
    /// If the agent cannot be run.
    pub(super) fn run(mut self) -> Result<Ended, Failure> {
        let beside = Beside::default();
        let settings = self.settings.clone();
        let player = Player {
            maker: self.maker,
            judging: self.judging,
            follow: self.follow,
            settings: &settings,
            began: self.began,
        };
        let end = std::thread::scope(|scope| {
            scope.spawn(|| player.cancel(&beside.over));
            let end = self.rounds(scope, &player, &beside);
            // What still runs is of no use, unless the time was over.
            if !matches!(end, Ok(End::Limit)) {
                self.settings.cancel.store(true, Ordering::Relaxed);
            }
            while beside.waiting.load(Ordering::Relaxed) + beside.smaller.load(Ordering::Relaxed)
                > 0
            {
                std::thread::sleep(LOOK);
            }
            beside.over.store(true, Ordering::Relaxed);
            match end {
                // It was ended while it waited.
                Ok(End::Limit) if self.settings.stop.load(Ordering::Relaxed) => {
                    Ok(End::Interrupted)
                }
                end => end,
            }
        })?;
        self.gather(&beside)?;
        // What the end left is not made smaller.
        for (tried, shown) in lock(&beside.large)
            .drain(..)
            .filter(|_| end != End::Finding)
        {
            self.add(&tried, shown);
        }
        self.status.time = self.began.elapsed();
        Ok(Ended {
            status: self.status,
            found: self.found,
            samples: self.samples,
            end,
        })
    }

    fn rounds<'scope>(
        &mut self,
        scope: &'scope std::thread::Scope<'scope, '_>,
        player: &'scope Player<'scope>,
        beside: &'scope Beside,
    ) -> Result<End, Failure> {
        let wait = |situation: Value| {
            beside.waiting.fetch_add(1, Ordering::Relaxed);
            scope.spawn(move || {
                // The reference agent would wait as well.
                let outcome = player.tried(&situation, false);
                lock(&beside.waited).extend(outcome.transpose());
                beside.waiting.fetch_sub(1, Ordering::Relaxed);
            });
        };
        if self.may_begin_silent() {
            for number in 1..=SILENT {
                let name = format!("fuzz/{}-silent-{number}", self.settings.seed);
                wait(self.maker.silent(&name, mixed(!self.settings.seed, number)));
            }
        }
        loop {
            if let Some(end) = self.end() {
                return Ok(end);
            }
            let mut round = Vec::new();
            for situation in self.round() {
                if !self.maker.waits(&situation) {
                    round.push(situation);
                } else if self.may_wait() && beside.waiting.load(Ordering::Relaxed) < WAITING {
                    wait(situation);
                }
            }
            let played = player.side_by_side(&round)?;
            for one in &played {
                self.learn(one, !one.shown.is_empty());
            }
            self.queue(played, beside);
            self.gather(beside)?;
            loop {
                // The first finding is the first that was seen.
                let most = match self.settings.limits.until_finding {
                    true => 1,
                    false => self.settings.jobs.div_ceil(2),
                };
                while !lock(&beside.large).is_empty()
                    && beside.smaller.load(Ordering::Relaxed) < most
                {
                    beside.smaller.fetch_add(1, Ordering::Relaxed);
                    scope.spawn(move || {
                        player.make_smaller(beside);
                        beside.smaller.fetch_sub(1, Ordering::Relaxed);
                    });
                }
                // Whoever wants one finding wants no others.
                let waits = self.settings.limits.until_finding
                    && beside.smaller.load(Ordering::Relaxed) > 0
                    && !player.is_over();
                if !waits {
                    break;
                }
                std::thread::sleep(LOOK);
                self.gather(beside)?;
                if self.end().is_some() {
                    break;
                }
            }
            self.gather(beside)?;
            self.status.time = self.began.elapsed();
            self.samples.push(self.status);
            self.view.status(&self.status, &self.found);
        }
    }

    /// Does the campaign begin with situations in which a module never answers?
    fn may_begin_silent(&self) -> bool {
        let Limits { time, cases, .. } = self.settings.limits;
        match time {
            Some(time) => time >= LONG,
            None => cases.is_none(),
        }
    }

    fn end(&self) -> Option<End> {
        let Limits { time, cases, .. } = self.settings.limits;
        if self.settings.stop.load(Ordering::Relaxed) {
            return Some(End::Interrupted);
        }
        if self.is_found() {
            return Some(End::Finding);
        }
        let late = time.is_some_and(|time| self.began.elapsed() >= time);
        let enough = cases.is_some_and(|cases| self.number >= cases);
        (late || enough).then_some(End::Limit)
    }

    /// Was the finding found that was asked for?
    fn is_found(&self) -> bool {
        let fails = |one: &Found| one.outcome.fails(self.settings.strict);
        self.settings.limits.until_finding && self.found.iter().any(fails)
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

    fn learn(&mut self, outcome: &Outcome, fails: bool) {
        let tried = &outcome.tried;
        self.status.cases += 1;
        let events = tried.played.sessions.iter().flat_map(|one| &one.events);
        self.status.requests += events
            .filter(|event| matches!(event, Event::In { .. }))
            .count() as u64;
        let before = self.shown.len();
        self.shown.extend(tried.shown.iter().cloned());
        let mut is_new = self.shown.len() > before;
        for (branch, often) in &outcome.branches {
            let known = self.branches.entry(*branch).or_default();
            is_new |= often > known;
            *known = (*known).max(*often);
        }
        if self.follow.is_some() {
            self.status.branches = Some(self.branches.len());
        }
        if is_new {
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

    /// Queues the defects that are new, to be shown by smaller situations.
    fn queue(&mut self, played: Vec<Outcome>, beside: &Beside) {
        for outcome in played {
            for one in outcome.shown {
                if self.known.insert(one.signature.clone()) {
                    lock(&beside.large).push_back((outcome.tried.clone(), one));
                }
            }
        }
    }

    /// Tells what came of what ran beside the rounds.
    fn gather(&mut self, beside: &Beside) -> Result<(), Failure> {
        let small: Vec<_> = lock(&beside.small).drain(..).collect();
        for one in small {
            match one? {
                _ if self.is_found() => {}
                Some((tried, shown)) => self.add(&tried, shown),
                None => self.status.unstable += 1,
            }
        }
        let waited: Vec<_> = lock(&beside.waited).drain(..).collect();
        for outcome in waited {
            let outcome = outcome?;
            self.learn(&outcome, true);
            for one in outcome.shown {
                // It takes too long to be made smaller.
                if !self.is_found() && self.known.insert(one.signature.clone()) {
                    self.add(&outcome.tried, one);
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, tried: &Tried, shown: Shown) {
        // The rule says it in other words, but what shows it is the same.
        if !self
            .told
            .insert(format!("{} {}", shown.rule, bare(&tried.situation)))
        {
            return;
        }
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
}

/// Plays situations, in any thread.
struct Player<'p> {
    maker: &'p dyn Maker,
    judging: &'p Judging<'p>,
    follow: &'p Follow<'p>,
    settings: &'p Settings<'p>,
    began: Instant,
}

impl Player<'_> {
    fn is_late(&self) -> bool {
        let late = |time| self.began.elapsed() >= time;
        self.settings.limits.time.is_some_and(late)
    }

    /// Is the campaign over?
    fn is_over(&self) -> bool {
        self.is_late()
            || self.settings.stop.load(Ordering::Relaxed)
            || self.settings.cancel.load(Ordering::Relaxed)
    }

    /// Ends agents once the user ends the campaign.
    fn cancel(&self, over: &AtomicBool) {
        while !over.load(Ordering::Relaxed) {
            if self.settings.stop.load(Ordering::Relaxed) {
                self.settings.cancel.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(LOOK);
        }
    }

    fn side_by_side(&self, round: &[Value]) -> Result<Vec<Outcome>, Failure> {
        let next = AtomicUsize::new(0);
        let outcomes: Vec<Mutex<Option<Outcome>>> =
            round.iter().map(|_| Mutex::default()).collect();
        side_by_side(
            self.settings.jobs,
            || {
                let at = next.fetch_add(1, Ordering::Relaxed);
                (at < round.len() && !self.is_over()).then_some(at)
            },
            |at| {
                *lock(&outcomes[at]) = self.tried(&round[at], true)?;
                Ok(())
            },
        )?;
        let outcomes = outcomes.iter();
        Ok(outcomes.filter_map(|one| lock(one).take()).collect())
    }

    /// Plays a situation; `None` if the user ended the campaign.
    fn tried(&self, situation: &Value, compared: bool) -> Result<Option<Outcome>, Failure> {
        let played = self
            .follow
            .followed(|variables| self.maker.play(situation, compared, variables));
        match played {
            Ok((tried, branches)) => Ok(Some(Outcome {
                shown: self.judging.shown(&tried),
                tried,
                branches,
            })),
            Err(_) if self.settings.cancel.load(Ordering::Relaxed) => Ok(None),
            Err(error) => Err(cannot_run(&error)),
        }
    }

    fn make_smaller(&self, beside: &Beside) {
        loop {
            let Some((tried, shown)) = lock(&beside.large).pop_front() else {
                return;
            };
            let small = self.smallest(&tried, &shown);
            lock(&beside.small).push(small);
        }
    }

    /// The smallest situation that shows a defect; `None` if it does not show again.
    fn smallest(&self, first: &Tried, shown: &Shown) -> Result<Option<Case>, Failure> {
        let again = |situation: &Value, compared| -> Result<Option<Case>, Failure> {
            let Some(outcome) = self.tried(situation, compared)? else {
                return Ok(None);
            };
            let mut all = outcome.shown.into_iter();
            let same = all.find(|one| one.signature == shown.signature);
            Ok(same.map(|same| (outcome.tried, same)))
        };
        // Each further time takes as long.
        if first.hung && self.is_late() {
            return Ok(Some((first.clone(), shown.clone())));
        }
        // Rules need no reference agent.
        let compared = shown.rule == DIFFERENCE;
        let Some(mut best) = again(&first.situation, compared)? else {
            let ended = self.settings.stop.load(Ordering::Relaxed);
            return Ok(ended.then(|| (first.clone(), shown.clone())));
        };
        if first.hung {
            return Ok(Some((first.clone(), shown.clone())));
        }
        let mut left = SMALLER;
        let mut before = BTreeSet::new();
        'smaller: loop {
            for candidate in self.maker.smaller(&best.0.situation) {
                if left == 0 || self.is_over() {
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
        Ok(Some(
            whole.unwrap_or_else(|| (first.clone(), shown.clone())),
        ))
    }
}

/// A situation without its name and what the reference agent did.
fn bare(situation: &Value) -> String {
    let mut bare = situation.clone();
    if let Some(members) = bare.as_object_mut() {
        members.remove("want");
        members.remove("only");
        members.remove("name");
    }
    bare.to_string()
}

/// A seed of its own for each situation.
fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
