//! Runs the suite: stages of cases, several at a time.

mod budget;

pub(crate) use budget::size;

use crate::builder::{Setting, Speech};
use crate::config::Config;
use crate::dialect::{Dialect, Drive, Planned, Stage};
use crate::effort::Effort;
use crate::error::RunError;
use crate::knowledge::Knowledge;
use crate::plans::Batch;
use budget::Budget;
use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use stickler_judge::{Check, View};
use stickler_reading::Exchange;
use stickler_session::sandbox::Host;
use stickler_session::{CpuLease, OPTIONAL_US, RunOptions, SessionError};
use stickler_transcript::{Answer, Bytes, Case, Phase, Relation, Step, Transcript};

/// Deadlines are this many times longer when a hang is confirmed.
pub(crate) const PATIENCE: u32 = 4;

/// How a run is made.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// Sessions at a time.
    pub jobs: usize,
    /// Seed of everything that is chosen.
    pub seed: u64,
    /// How much is tried.
    pub effort: Effort,
    /// How requests are written.
    pub speech: Speech,
    /// Part `k` of `n` of the cases, from 1.
    pub shard: Option<(usize, usize)>,
    /// Hold sessions of these relations alone, beside the examples as they are. `None`: of all.
    pub relations: Option<BTreeSet<Relation>>,
}

/// Hears how a run goes, and may end it.
pub trait Progress: Sync {
    /// So many cases are planned by now.
    fn planned(&self, cases: usize);
    /// A case is done.
    fn done(&self, case: &str);
    /// Set when the run is to end: sessions end at once, and none begins.
    fn stop(&self) -> &AtomicBool;
}

/// What a run leaves.
#[derive(Debug)]
pub struct RunOutput<S> {
    /// All sessions, in the order of the plan.
    pub sessions: Vec<S>,
    /// What was learned of the subject.
    pub knowledge: Knowledge,
    /// Cases left out, since the subject hangs, and why.
    pub left_out: Vec<(String, String)>,
    /// The phases in which the subject hung once more, waited for with patience.
    pub hangs: Vec<Phase>,
    /// Cases that were not begun or not brought to their end, since somebody ended the run.
    pub not_held: usize,
}

/// Why a case with two promises is left out.
pub(crate) const SETUP: &str = "has setup commands that cannot run twice";

/// A session that pauses so long, in microseconds, leaves the CPU to others.
const IDLE_US: u64 = 20_000;
/// Workers for such sessions, besides those that the CPUs are for.
const IDLERS: usize = 4;

/// How long a session may pause by its plan, in microseconds.
fn pauses(case: &Case) -> u64 {
    case.plan.as_ref().map_or(0, |plan| {
        // What is not owed may not come.
        let optional =
            |step: &&Step| matches!(step, Step::Send(send) if send.answer == Answer::Optional);
        plan.pauses_us() + OPTIONAL_US * plan.steps.iter().filter(optional).count() as u64
    })
}

/// Runs the whole suite against a subject.
///
/// # Errors
/// Where no session can be started, a command of the author's fails, or the
/// harness fails.
pub fn run<D: Dialect>(
    dialect: &D,
    host: &Host,
    config: &Config,
    argv: &[Bytes],
    settings: &RunSettings,
    progress: &dyn Progress,
) -> Result<RunOutput<D::Session>, RunError> {
    let mut output = RunOutput {
        sessions: Vec::new(),
        knowledge: Knowledge::default(),
        left_out: Vec::new(),
        hangs: Vec::new(),
        not_held: 0,
    };
    let runner = Runner::new(dialect, host, settings, progress);
    let compared = compared(dialect);
    for stage in [Stage::First, Stage::Examples, Stage::Suite] {
        let known = output.knowledge.clone();
        if stage == Stage::Suite {
            runner.settled.store(true, Ordering::Relaxed);
            runner.budget.settle();
            let answers = known.usable || known.start_us.is_some();
            if !answers || !known.understood && known.valid.is_empty() {
                // Nothing more is to be learned of it.
                return Ok(output);
            }
        }
        let setting = Setting {
            compared: compared.clone(),
            speech: settings.speech,
            seed: settings.seed,
            ..Setting::new(dialect, host, config, argv, &known)
        };
        let planned = dialect.plans(&setting, stage, settings.effort);
        runner.stage(&setting, stage, planned, &mut output)?;
        if stage != Stage::Suite {
            runner.start_again(&mut output)?;
        }
    }
    output.hangs = runner.budget.proven();
    Ok(output)
}

/// The relations that rules compare.
fn compared<D: Dialect>(dialect: &D) -> BTreeSet<Relation> {
    let rules = dialect.rules();
    let checks = rules.iter().flat_map(|rule| rule.checks);
    let compared = checks.filter(|check| matches!(check, Check::Group(..)));
    compared.flat_map(Check::relations).copied().collect()
}

/// Runs a stored case again.
///
/// # Errors
/// As [`run`], and where somebody wants it to end.
pub fn replay<D: Dialect>(
    dialect: &D,
    host: &Host,
    case: Case,
    patience: u32,
    stop: Option<&AtomicBool>,
) -> Result<D::Session, RunError> {
    let lease = CpuLease::take();
    let options = RunOptions {
        cpu: lease.as_ref().map(CpuLease::cpu),
        patience,
        stop,
        ..RunOptions::default()
    };
    let held = stickler_session::run(host, case, dialect.wire(), &options)?;
    Ok(dialect.read(held))
}

/// How a session is held.
type Holding<'h> =
    dyn Fn(&Host, Case, &RunOptions<'_>) -> Result<Transcript, SessionError> + Sync + 'h;

struct Runner<'r, D> {
    dialect: &'r D,
    host: &'r Host,
    settings: &'r RunSettings,
    progress: &'r dyn Progress,
    planned: AtomicUsize,
    /// The examples themselves have run.
    settled: AtomicBool,
    budget: Budget,
    /// Held while it is not known whether a subject hangs or is slow.
    doubting: Mutex<()>,
}

impl<'r, D: Dialect> Runner<'r, D> {
    fn new(
        dialect: &'r D,
        host: &'r Host,
        settings: &'r RunSettings,
        progress: &'r dyn Progress,
    ) -> Self {
        Runner {
            dialect,
            host,
            settings,
            progress,
            planned: AtomicUsize::new(0),
            settled: AtomicBool::new(false),
            budget: Budget::default(),
            doubting: Mutex::default(),
        }
    }

    /// Why a case is left out, once no doubt is left.
    fn hopeless(&self, case: &Case) -> Option<String> {
        self.budget.hopeless(case)?;
        let _settled = lock(&self.doubting);
        self.budget.hopeless(case)
    }

    fn stopped(&self) -> bool {
        self.progress.stop().load(Ordering::Relaxed)
    }

    /// Is something to be held, as far as relations go?
    fn wants(&self, planned: &Planned) -> bool {
        let Some(wanted) = &self.settings.relations else {
            return true;
        };
        let mut relations = planned.relations().into_iter();
        relations.any(|relation| wanted.contains(&relation))
    }

    fn shard<T>(&self, items: Vec<T>) -> Vec<T> {
        let Some((k, n)) = self.settings.shard else {
            return items;
        };
        items
            .into_iter()
            .enumerate()
            .filter(|(index, _)| index % n == k - 1)
            .map(|(_, item)| item)
            .collect()
    }

    /// Holds the sessions of a stage.
    fn stage(
        &self,
        setting: &Setting<'_>,
        stage: Stage,
        planned: Vec<Planned>,
        output: &mut RunOutput<D::Session>,
    ) -> Result<(), RunError> {
        let (mut cases, mut driven, mut batches) = (Vec::new(), Vec::new(), Vec::new());
        for one in planned {
            match one {
                one if stage == Stage::Suite && !self.wants(&one) => {}
                Planned::Case(case) => cases.push(case),
                Planned::Driven(case, drive) => driven.push((case, drive)),
                Planned::Batch(batch) => batches.push(batch),
            }
        }
        if stage == Stage::Suite {
            cases = self.shard(cases);
            driven = self.shard(driven);
            batches = self.shard(batches);
        }
        let hold =
            |host: &Host, case: Case, options: &RunOptions<'_>| self.hold(host, case, options);
        for session in self.side_by_side(cases, &hold, output)? {
            self.dialect.learn(&mut output.knowledge, &session);
            output.sessions.push(session);
        }
        self.driven(driven, output)?;
        self.batches(setting, batches, output)
    }

    /// Holds a session as its case plans it.
    fn hold(
        &self,
        host: &Host,
        case: Case,
        options: &RunOptions<'_>,
    ) -> Result<Transcript, SessionError> {
        stickler_session::run(host, case, self.dialect.wire(), options)
    }

    /// A first start reads from the disk what later ones find in memory: where it alone took
    /// too long, it counts for nothing.
    fn start_again(&self, output: &mut RunOutput<D::Session>) -> Result<(), RunError> {
        let [first] = &mut output.sessions[..] else {
            return Ok(());
        };
        let Some((phase, _)) = first.reading().hangs().next() else {
            return Ok(());
        };
        if self.stopped() {
            return Ok(());
        }
        let session = replay(
            self.dialect,
            self.host,
            first.case().clone(),
            1,
            Some(self.progress.stop()),
        )?;
        if session.reading().hangs().next().is_none() {
            self.dialect.learn(&mut output.knowledge, &session);
            self.budget.forgive(phase);
            *first = session;
        }
        Ok(())
    }

    /// Runs batches; where a subject dies in one, what is left of it goes on in
    /// a fresh process.
    fn batches(
        &self,
        setting: &Setting<'_>,
        batches: Vec<Batch>,
        output: &mut RunOutput<D::Session>,
    ) -> Result<(), RunError> {
        let mut open: Vec<(Batch, usize, usize)> =
            batches.into_iter().map(|batch| (batch, 0, 0)).collect();
        while !open.is_empty() && !self.stopped() {
            let cases: Vec<Case> = open
                .iter()
                .map(|(batch, first, tries)| batch.case(setting, *first, *tries))
                .collect();
            let ids: Vec<String> = cases.iter().map(|case| case.id.clone()).collect();
            let hold =
                |host: &Host, case: Case, options: &RunOptions<'_>| self.hold(host, case, options);
            let sessions = self.side_by_side(cases, &hold, output)?;
            let mut next = Vec::new();
            for (mut entry, id) in open.into_iter().zip(ids) {
                let Some(session) = sessions.iter().find(|session| session.case().id == id) else {
                    continue;
                };
                if let Some(at) = stopped_at(session, &entry.0) {
                    entry.1 = at + 1;
                    entry.2 += 1;
                    if entry.1 < entry.0.variants.len() {
                        next.push(entry);
                    }
                }
            }
            output.sessions.extend(sessions);
            open = next;
        }
        Ok(())
    }

    /// Holds sessions that an agent drives.
    fn driven(
        &self,
        driven: Vec<(Case, Box<Drive>)>,
        output: &mut RunOutput<D::Session>,
    ) -> Result<(), RunError> {
        let (cases, drives): (Vec<Case>, Vec<Box<Drive>>) = driven.into_iter().unzip();
        let ids = cases.iter().map(|case| case.id.clone());
        let by_id: HashMap<String, &Drive> = ids.zip(drives.iter().map(|drive| &**drive)).collect();
        let hold = |host: &Host, case: Case, options: &RunOptions<'_>| match by_id.get(&case.id) {
            Some(drive) => drive(host, case, options),
            None => self.hold(host, case, options),
        };
        let sessions = self.side_by_side(cases, &hold, output)?;
        // Where the agent takes no policy, nothing was said.
        let held = sessions.into_iter();
        let held = held.filter(|session| !session.reading().exchanges.is_empty());
        output.sessions.extend(held);
        Ok(())
    }

    fn side_by_side(
        &self,
        cases: Vec<Case>,
        hold: &Holding<'_>,
        output: &mut RunOutput<D::Session>,
    ) -> Result<Vec<D::Session>, RunError> {
        let total = self.planned.fetch_add(cases.len(), Ordering::Relaxed) + cases.len();
        self.progress.planned(total);
        let count = cases.len();
        let jobs = self.settings.jobs.clamp(1, count.max(1));
        let (mut idle, busy): (Vec<_>, Vec<_>) = cases
            .into_iter()
            .enumerate()
            .partition(|(_, case)| jobs > 1 && pauses(case) >= IDLE_US);
        // Those that take long are not to be waited for at the end.
        idle.sort_by_key(|(_, case)| Reverse(pauses(case)));
        let (idlers, idle) = (idle.len().min(IDLERS), Mutex::new(VecDeque::from(idle)));
        let busy = Mutex::new(VecDeque::from(busy));
        let done: Mutex<Vec<Option<D::Session>>> = Mutex::new((0..count).map(|_| None).collect());
        let skipped: Mutex<Vec<(String, String)>> = Mutex::default();
        let not_held = AtomicUsize::new(0);
        let failed: Mutex<Option<SessionError>> = Mutex::default();
        std::thread::scope(|scope| {
            for worker in 0..jobs + idlers {
                let (queue, busy, idle) = if worker < jobs {
                    (&busy, &busy, &idle)
                } else {
                    (&idle, &busy, &idle)
                };
                let (done, skipped, failed) = (&done, &skipped, &failed);
                let not_held = &not_held;
                scope.spawn(move || {
                    let lease = (worker < jobs).then(CpuLease::take).flatten();
                    let options = RunOptions {
                        cpu: lease.as_ref().map(CpuLease::cpu),
                        stop: Some(self.progress.stop()),
                        ..RunOptions::default()
                    };
                    loop {
                        if self.stopped() {
                            let left = std::mem::take(&mut *lock(queue));
                            not_held.fetch_add(left.len(), Ordering::Relaxed);
                        }
                        let Some((index, case)) = lock(queue).pop_front() else {
                            return;
                        };
                        let id = case.id.clone();
                        let example = case.items.first().map(|known| known.example.clone());
                        if let Some(reason) = self.hopeless(&case) {
                            lock(skipped).push((id, reason));
                            continue;
                        }
                        match hold(self.host, case, &self.budget.sparing(options)) {
                            Ok(transcript) => {
                                let session = self.dialect.read(transcript);
                                self.count(&session, hold, options);
                                lock(done)[index] = Some(session);
                            }
                            Err(SessionError::Stopped) => {
                                not_held.fetch_add(1, Ordering::Relaxed);
                            }
                            // It worked for the example by itself: what fails is
                            // to run it once more for a second promise.
                            Err(SessionError::Command { .. })
                                if self.settled.load(Ordering::Relaxed) =>
                            {
                                lock(skipped).push((id.clone(), SETUP.to_owned()));
                            }
                            Err(error) => {
                                lock(failed).get_or_insert(naming(error, example));
                                lock(busy).clear();
                                lock(idle).clear();
                            }
                        }
                        self.progress.done(&id);
                    }
                });
            }
        });
        if let Some(error) = lock(&failed).take() {
            return Err(error.into());
        }
        output.left_out.append(&mut lock(&skipped));
        output.not_held += not_held.into_inner();
        Ok(std::mem::take(&mut *lock(&done))
            .into_iter()
            .flatten()
            .collect())
    }

    /// Counts a session. Where the machine has other things to do, a subject may just be slow:
    /// before the rest is left out, the session is held once more, with patience.
    fn count(&self, session: &D::Session, hold: &Holding<'_>, options: RunOptions<'_>) {
        let hung = session.reading().hangs().next().is_some();
        let _doubting = hung.then(|| lock(&self.doubting));
        self.budget.count(session);
        let Some(phase) = self.budget.late(session) else {
            return;
        };
        let patient = RunOptions {
            patience: PATIENCE,
            ..self.budget.sparing(options)
        };
        let again = hold(self.host, session.case().clone(), &patient);
        let again = again.map(|transcript| self.dialect.read(transcript));
        if again.is_ok_and(|again| again.reading().hangs().all(|(silent, _)| silent != phase)) {
            self.budget.forgive(phase);
        } else {
            self.budget.prove(phase);
        }
    }
}

/// Names the example whose command failed.
fn naming(error: SessionError, example: Option<String>) -> SessionError {
    match (error, example) {
        (SessionError::Command { what, why }, Some(example)) => SessionError::Command {
            what: format!("for the example \"{example}\": {what}"),
            why,
        },
        (error, _) => error,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A worker that panicked has lost its own case only.
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The variant at which the subject stopped, if it did.
fn stopped_at(session: &impl View, batch: &Batch) -> Option<usize> {
    let reading = session.reading();
    if reading.complete {
        return None;
    }
    let mut exchanges = reading
        .exchanges
        .iter()
        .rev()
        .map(Borrow::<Exchange>::borrow);
    let last = exchanges.find_map(|exchange| exchange.item.as_ref())?;
    let mut variants = batch.variants.iter();
    variants.position(|variant| variant.info.label == *last)
}
