//! Holds the sessions of a stage, several at a time, until all are held or the time is over.

mod estimates;
mod lookout;

use super::{IDLE_US, IDLERS, REACH, Runner, SETUP, naming, stopped_at};
use crate::cost::{is_patient, pauses};
use crate::dialect::Planned;
use crate::error::RunError;
use crate::held;
use crate::lock::lock;
use crate::observer::{RunEvent, SoFar};
use crate::plans::Batch;
use crate::schedule::Schedule;
use crate::setting::Setting;
use estimates::Estimates;
use lookout::End;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use stickler_judge::AnySession;
use stickler_session::{CpuLease, RunOptions, SessionError};
use stickler_transcript::{Case, Relation};

/// Why a session was not held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The time that the user gave was over.
    Time,
    /// The usual time was over.
    UsualTime,
    /// So many sessions were held as the user wanted.
    Sessions,
    /// A rule had failed, and the user wanted the first failure only.
    Failure,
}

impl Cut {
    /// Was a time over?
    pub fn is_time(self) -> bool {
        matches!(self, Cut::Time | Cut::UsualTime)
    }
}

/// The sessions that a run did not hold.
#[derive(Clone, Debug, Default)]
pub struct Unheld {
    /// Their number; the sessions of a batch count as one.
    pub sessions: usize,
    /// Their relations.
    pub relations: BTreeSet<Relation>,
    /// The relations of each.
    pub each: Vec<Vec<Relation>>,
    /// How long they would take, estimated.
    pub takes: Duration,
    /// Why they were not held.
    pub why: Option<Cut>,
}

/// What is left of a planned session.
enum Work {
    Case(Case),
    /// A batch from one of its variants on, after so many tries.
    Batch(Batch, usize, usize),
}

/// How much longer than the run a session may take: as long as one message, usually.
const GRACE: Duration = Duration::from_secs(30);

struct Job {
    /// Its place in the plan.
    index: usize,
    /// Its plan family.
    family: String,
    work: Work,
    relations: Vec<Relation>,
    groups: Vec<String>,
    /// The estimate, in microseconds.
    cost: u64,
    /// Is it a repetition, which is held if any session of its groups was?
    closes: bool,
    /// Is it held also after the usual time, as the first of its sort that a rule of level `must` reads?
    essential: bool,
}

struct Held {
    index: usize,
    tries: usize,
    /// Does the dialect learn from it?
    plain: bool,
    session: AnySession,
}

pub(super) struct Pool<'p, 'r> {
    runner: &'p Runner<'r>,
    setting: &'p Setting<'p>,
    /// Sessions begin up to this moment.
    until: Option<Instant>,
    /// Essential sessions begin up to this moment.
    reach: Option<Instant>,
    /// Sessions that still run then are cut off.
    cut: Option<Instant>,
    /// How many sessions are more than the user wants.
    surplus: usize,
    /// May further sessions run beside those of the jobs?
    beside: bool,
    busy: Mutex<VecDeque<Job>>,
    idle: Mutex<VecDeque<Job>>,
    held: Mutex<Vec<Held>>,
    /// The jobs that are put off since the time is over or something seems to fail.
    put_off: Mutex<Vec<Job>>,
    /// The groups of which a session was taken.
    touched: Mutex<BTreeSet<String>>,
    /// The groups with jobs that are not done, and how many these are.
    open: Mutex<BTreeMap<String, usize>>,
    left_out: Mutex<Vec<(String, String)>>,
    /// Sessions that the user ended.
    ended: AtomicUsize,
    failed: Mutex<Option<SessionError>>,
    /// Does something seem to fail?
    enough: AtomicBool,
    /// The next look of a watcher is due at this many held sessions.
    next_look: AtomicUsize,
    estimates: Mutex<Estimates>,
    /// The estimates of what is queued, in microseconds.
    queued: AtomicU64,
}

impl<'p, 'r> Pool<'p, 'r> {
    /// Fills the queues.
    pub(super) fn new(
        runner: &'p Runner<'r>,
        setting: &'p Setting<'p>,
        planned: Vec<Planned>,
        schedule: &Schedule,
        costs: &[u64],
        until: Option<Instant>,
    ) -> Self {
        let mut jobs: Vec<Option<Job>> = planned
            .into_iter()
            .zip(costs)
            .enumerate()
            .map(|(index, (one, cost))| Some(Job::of(index, one, *cost)))
            .collect();
        let mut take = |index: usize, closes: bool| {
            let mut job = jobs.get_mut(index)?.take()?;
            job.closes = closes;
            Some(job)
        };
        let ordered = schedule.order.iter();
        let mut all: Vec<Job> = ordered.filter_map(|index| take(*index, false)).collect();
        for job in all.iter_mut().take(schedule.essential) {
            job.essential = true;
        }
        let is_settled = runner.settled.load(Ordering::Relaxed);
        let time = runner.settings.time.filter(|_| is_settled);
        let most = until_sessions(runner, all.len());
        let reach = time.map(|time| match runner.settings.is_usual_time {
            true => runner.began + time * REACH,
            false => runner.began + time,
        });
        let put_off = all.split_off(most);
        let closing = schedule.closing.iter();
        all.extend(closing.filter_map(|index| take(*index, true)));
        let workers = runner.settings.jobs.max(1);
        let queued = all.iter().map(|job| job.cost).sum();
        let mut open = BTreeMap::new();
        for group in all.iter().flat_map(|job| &job.groups) {
            *open.entry(group.clone()).or_default() += 1;
        }
        // A single job is to be alone only where sessions could disturb each other.
        let beside = workers > 1 || runner.bench.host.separates();
        let (mut idle, busy): (Vec<Job>, Vec<Job>) = all
            .into_iter()
            .partition(|job| beside && (job.pauses() >= IDLE_US || job.is_patient()));
        let takes = idle.iter().map(|job| job.cost).sum::<u64>() / IDLERS as u64;
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_none_or(|left| Duration::from_micros(takes) < left / 2) {
            // The longest sessions start first, so that the run does not wait for them at the end.
            idle.sort_by_key(|job| (job.closes, !job.is_patient(), Reverse(job.pauses())));
        }
        let total = runner
            .planned
            .fetch_add(busy.len() + idle.len(), Ordering::Relaxed);
        let planned = total + busy.len() + idle.len();
        runner.observer.tell(RunEvent::Planned(planned));
        Pool {
            runner,
            setting,
            until,
            reach,
            cut: reach.map(|reach| reach + GRACE),
            surplus: put_off.len(),
            beside,
            busy: Mutex::new(busy.into()),
            idle: Mutex::new(idle.into()),
            held: Mutex::default(),
            put_off: Mutex::new(put_off),
            touched: Mutex::default(),
            open: Mutex::new(open),
            left_out: Mutex::default(),
            ended: AtomicUsize::new(0),
            failed: Mutex::default(),
            enough: AtomicBool::new(false),
            next_look: AtomicUsize::new(1),
            estimates: Mutex::default(),
            queued: AtomicU64::new(queued),
        }
    }

    /// Holds the sessions. If a watcher suspects a failure, it looks closer once the repetitions are
    /// held; if it was wrong, the rest is held too.
    pub(super) fn run(&self, earlier: &[AnySession]) -> Result<Option<Cut>, RunError> {
        loop {
            self.work(earlier);
            if let Some(error) = lock(&self.failed).take() {
                return Err(error.into());
            }
            let watch = self.runner.watches.ends;
            let Some(watch) = watch.filter(|_| !self.runner.stopped()) else {
                break;
            };
            if self.enough.load(Ordering::Relaxed) {
                let all = self.all(earlier);
                let so_far = SoFar::whole(&all);
                let failures = watch.failures(&so_far);
                if watch.proves(&so_far, failures, self.runner.observer.stop())? {
                    return Ok(Some(Cut::Failure));
                }
            }
            if !self.enough.swap(false, Ordering::Relaxed) || lock(&self.put_off).is_empty() {
                break;
            }
            let mut again = std::mem::take(&mut *lock(&self.put_off));
            again.sort_by_key(|job| job.closes);
            let cost = again.iter().map(|job| job.cost).sum();
            self.queued.fetch_add(cost, Ordering::Relaxed);
            lock(&self.busy).extend(again);
        }
        let put_off = lock(&self.put_off);
        let number = put_off.iter().filter(|job| !job.closes).count();
        let cut = match number {
            0 => None,
            number if number > self.surplus => Some(match self.runner.settings.is_usual_time {
                true => Cut::UsualTime,
                false => Cut::Time,
            }),
            _ => Some(Cut::Sessions),
        };
        Ok(cut)
    }

    /// All sessions so far.
    fn all(&self, earlier: &[AnySession]) -> Vec<AnySession> {
        let held = lock(&self.held);
        let held = held.iter().map(|one| one.session.clone());
        earlier.iter().cloned().chain(held).collect()
    }

    /// Holds sessions, with a lookout beside them if one is wanted.
    fn work(&self, earlier: &[AnySession]) {
        // Before, sessions may still be replaced.
        let settled = self.runner.settled.load(Ordering::Relaxed);
        let tells = self.runner.watches.tells;
        let tells = tells.filter(|_| settled && self.beside);
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let over = &over;
            let look = |tell| scope.spawn(move || self.look_out(tell, earlier, over));
            let lookout = tells.map(look).map(|look| look.thread().clone());
            let _end = End { over, lookout };
            self.hold_all(earlier);
        });
    }

    fn hold_all(&self, earlier: &[AnySession]) {
        let workers = self.runner.settings.jobs.max(1).min(lock(&self.busy).len());
        let idlers = lock(&self.idle).len().min(IDLERS);
        std::thread::scope(|scope| {
            for worker in 0..workers + idlers {
                let is_idler = worker >= workers;
                scope.spawn(move || {
                    let lease = (!is_idler).then(CpuLease::take).flatten();
                    let options = RunOptions {
                        cpu: lease.as_ref().map(CpuLease::cpu),
                        stop: Some(self.runner.observer.stop()),
                        until: self.cut,
                        warm: self.runner.settings.warm,
                        ..RunOptions::default()
                    };
                    let queue = if is_idler { &self.idle } else { &self.busy };
                    while let Some(job) = self.next(queue) {
                        self.hold(job, options, earlier);
                    }
                });
            }
        });
    }

    /// The first job that is still to be held: what does not fit into the rest of the time leaves
    /// its place to what does. If there is none, the rest of the queue is put off.
    fn next(&self, queue: &Mutex<VecDeque<Job>>) -> Option<Job> {
        if self.runner.stopped() {
            let left = std::mem::take(&mut *lock(queue));
            self.ended.fetch_add(left.len(), Ordering::Relaxed);
        }
        let mut jobs = lock(queue);
        let mut touched = lock(&self.touched);
        let enough = self.enough.load(Ordering::Relaxed);
        let reserved = self.reserved(&jobs, &touched);
        let is_wanted = |job: &Job| {
            let closes = job.closes && job.groups.iter().any(|group| touched.contains(group));
            closes || !job.closes && !enough && self.has_time_for(job, reserved)
        };
        if let Some(job) = jobs
            .iter()
            .position(is_wanted)
            .and_then(|at| jobs.remove(at))
        {
            self.queued.fetch_sub(job.cost, Ordering::Relaxed);
            touched.extend(job.groups.iter().cloned());
            return Some(job);
        }
        drop(touched);
        let rest = std::mem::take(&mut *jobs);
        drop(jobs);
        for job in rest {
            self.queued.fetch_sub(job.cost, Ordering::Relaxed);
            // What would be left out takes no time, so time does not keep it from being held.
            if !enough && self.leaves_out(&job, &self.case(&job)) {
                continue;
            }
            lock(&self.put_off).push(job);
        }
        None
    }

    /// The part of the time that the repetitions in this queue need, whose groups were touched.
    fn reserved(&self, jobs: &VecDeque<Job>, touched: &BTreeSet<String>) -> Duration {
        if self.until.is_none() {
            return Duration::ZERO;
        }
        let closing = jobs.iter().rev().take_while(|job| job.closes);
        let needed = closing.filter(|job| job.groups.iter().any(|one| touched.contains(one)));
        let takes: Duration = needed.map(|job| self.corrected(job)).sum();
        takes / u32::try_from(self.runner.settings.jobs.max(1)).unwrap_or(1)
    }

    fn has_time_for(&self, job: &Job, reserved: Duration) -> bool {
        self.until.is_none_or(|until| {
            let left = until.saturating_duration_since(Instant::now());
            // Nothing cuts the examples off: without them a run says nothing.
            let fits = || self.cut.is_none() || self.corrected(job) + reserved <= left;
            let is_in_reach = || self.reach.is_some_and(|reach| Instant::now() < reach);
            !left.is_zero() && fits() || job.essential && is_in_reach()
        })
    }

    /// What a session will take.
    fn corrected(&self, job: &Job) -> Duration {
        lock(&self.estimates).of(&job.family, job.cost)
    }

    /// Leaves out a session in which the subject is known to hang.
    fn leaves_out(&self, job: &Job, case: &Case) -> bool {
        let Some(reason) = self.runner.hopeless(case) else {
            return false;
        };
        self.runner.observer.tell(RunEvent::Done(&case.id));
        lock(&self.left_out).push((case.id.clone(), reason));
        self.close(&job.groups);
        true
    }

    fn case<'j>(&self, job: &'j Job) -> Cow<'j, Case> {
        match &job.work {
            Work::Case(case) => Cow::Borrowed(case),
            Work::Batch(batch, first, tries) => {
                Cow::Owned(batch.case(self.setting, *first, *tries))
            }
        }
    }

    fn hold(&self, job: Job, options: RunOptions<'_>, earlier: &[AnySession]) {
        let began = Instant::now();
        let case = self.case(&job);
        if self.leaves_out(&job, &case) {
            return;
        }
        let tries = match &job.work {
            Work::Batch(_, _, tries) => *tries,
            _ => 0,
        };
        let id = case.id.clone();
        // What is invalid has no plain example before it.
        let is_first = case.items.len() == 1 && case.items[0].invalid && case.items[0].original;
        let example = case.items.first().map(|known| known.example.clone());
        let runner = self.runner;
        match held::run(
            runner.bench.host,
            case.into_owned(),
            runner.bench.dialect.wire(),
            &runner.budget.sparing(options),
        ) {
            Ok(transcript) => {
                let session = runner.bench.dialect.read(transcript);
                runner.count(&session, options);
                lock(&self.estimates).took(&job.family, job.cost, began.elapsed());
                self.keep(job, tries, session, earlier);
            }
            Err(SessionError::Stopped) if runner.stopped() => {
                self.ended.fetch_add(1, Ordering::Relaxed);
            }
            // The time was over in the middle of it.
            Err(SessionError::Stopped) => lock(&self.put_off).push(job),
            // The command worked for the plain example, so it fails only here: with another setup
            // before it, or on what this session prepared.
            Err(SessionError::Command { what, why })
                if runner.settled.load(Ordering::Relaxed) && !is_first =>
            {
                self.close(&job.groups);
                let why = why.lines().next().unwrap_or_default();
                let what: String = what.chars().take(80).collect();
                let reason = format!("{SETUP} (`{what}`: {why})");
                lock(&self.left_out).push((id.clone(), reason));
            }
            Err(error) => {
                lock(&self.failed).get_or_insert(naming(error, example));
                lock(&self.busy).clear();
                lock(&self.idle).clear();
            }
        }
        runner.observer.tell(RunEvent::Done(&id));
        runner.observer.tell(RunEvent::Left(self.left()));
    }

    /// Notes that a job of these groups is done.
    fn close(&self, groups: &[String]) {
        let mut open = lock(&self.open);
        for group in groups {
            if let Some(number) = open.get_mut(group) {
                *number -= 1;
            }
        }
        open.retain(|_, number| *number > 0);
    }

    /// How long the stage will still take.
    fn left(&self) -> Duration {
        let queued = lock(&self.estimates).of_all(self.queued.load(Ordering::Relaxed));
        let left = queued / u32::try_from(self.runner.settings.jobs.max(1)).unwrap_or(1);
        match self.until {
            Some(until) => left.min(until.saturating_duration_since(Instant::now())),
            None => left,
        }
    }

    /// Keeps a session. If the subject died in a batch, the rest of the batch runs next.
    fn keep(&self, job: Job, tries: usize, session: AnySession, earlier: &[AnySession]) {
        let (is_case, has_oracle) = match &job.work {
            Work::Case(case) => (true, case.has_oracle()),
            Work::Batch(..) => (false, false),
        };
        // If an agent rejects its policy, it sends nothing, and there is no session.
        if has_oracle && session.reading().length() == 0 {
            self.close(&job.groups);
            return;
        }
        let plain = is_case && !has_oracle;
        let (index, groups) = (job.index, job.groups.clone());
        if let Work::Batch(batch, first, _) = job.work {
            let stopped = stopped_at(&session, &batch);
            let end = stopped.map_or(batch.variants.len(), |at| at + 1);
            let apart = batch.apart(&session, first..end);
            let rest = stopped.filter(|at| at + 1 < batch.variants.len());
            let rest = rest.map(|at| Work::Batch(batch, at + 1, tries + 1));
            let next = [apart.map(|batch| Work::Batch(batch, 0, tries)), rest];
            for work in next.into_iter().flatten() {
                self.put_first(Job {
                    index,
                    family: job.family.clone(),
                    work,
                    relations: job.relations.clone(),
                    groups: groups.clone(),
                    cost: job.cost,
                    closes: job.closes,
                    essential: job.essential,
                });
            }
        }
        let mut held = lock(&self.held);
        held.push(Held {
            index,
            tries,
            plain,
            session,
        });
        let (number, due) = (held.len(), self.next_look.load(Ordering::Relaxed));
        drop(held);
        self.close(&groups);
        // The looks become rarer, since each judges all sessions.
        if let Some(watch) = self.runner.watches.ends
            && number >= due
            && self
                .next_look
                .fetch_max(number + number / 4 + 8, Ordering::Relaxed)
                == due
            && !watch.failures(&SoFar::whole(&self.all(earlier))).is_empty()
        {
            self.enough.store(true, Ordering::Relaxed);
        }
    }

    /// Queues what is left of a session.
    fn put_first(&self, job: Job) {
        let total = self.runner.planned.fetch_add(1, Ordering::Relaxed);
        self.runner.observer.tell(RunEvent::Planned(total + 1));
        self.queued.fetch_add(job.cost, Ordering::Relaxed);
        for group in &job.groups {
            *lock(&self.open).entry(group.clone()).or_default() += 1;
        }
        lock(&self.busy).push_front(job);
    }

    /// Moves the results to the output.
    pub(super) fn finish(self, cut: Option<Cut>, output: &mut super::RunOutput) {
        output.left_out.append(&mut lock(&self.left_out));
        output.not_held += self.ended.load(Ordering::Relaxed);
        let put_off = std::mem::take(&mut *lock(&self.put_off));
        if let Some(why) = cut {
            let cost = put_off.iter().map(|job| job.cost).sum();
            let jobs = u32::try_from(self.runner.settings.jobs.max(1)).unwrap_or(1);
            output.unheld.takes += lock(&self.estimates).of_all(cost) / jobs;
            output.unheld.sessions += put_off.len();
            let relations = put_off.iter().flat_map(|job| job.relations.iter().copied());
            output.unheld.relations.extend(relations);
            let each = put_off.iter().map(|job| job.relations.clone());
            output.unheld.each.extend(each);
            output.unheld.why = Some(why);
        }
        let mut held = std::mem::take(&mut *lock(&self.held));
        held.sort_by_key(|one| (one.index, one.tries));
        for one in held {
            if one.plain {
                let dialect = self.runner.bench.dialect;
                dialect.learn(&mut output.known, &one.session);
                output.known.common.count(&one.session);
            }
            output.sessions.push(one.session);
        }
    }
}

/// How many of the planned sessions of this stage are held.
fn until_sessions(runner: &Runner<'_>, planned: usize) -> usize {
    let settled = runner.settled.load(Ordering::Relaxed);
    let most = runner.settings.sessions.filter(|_| settled);
    most.map_or(planned, |most| most.min(planned))
}

impl Job {
    fn of(index: usize, planned: Planned, cost: u64) -> Job {
        Job {
            index,
            family: planned.family().to_owned(),
            relations: planned.relations(),
            groups: planned.groups(),
            cost,
            closes: false,
            essential: false,
            work: match planned {
                Planned::Case(case) => Work::Case(case),
                Planned::Batch(batch) => Work::Batch(batch, 0, 0),
            },
        }
    }

    /// May it wait for something else than the subject?
    fn is_patient(&self) -> bool {
        match &self.work {
            Work::Case(case) => is_patient(case),
            Work::Batch(..) => false,
        }
    }

    /// How long it may pause by its plan, in microseconds.
    fn pauses(&self) -> u64 {
        match &self.work {
            Work::Case(case) => pauses(case),
            Work::Batch(..) => 0,
        }
    }
}
