//! Runs the suite: stages of cases, several in parallel.

mod budget;

pub(crate) use budget::size;

use crate::builder::{Setting, Speech};
use crate::config::Config;
use crate::dialect::{Dialect, Drive, Planned, Stage};
use crate::effort::Effort;
use crate::error::RunError;
use crate::knowledge::Knowledge;
use crate::plans::Batch;
use crate::shard::shard;
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
use stickler_transcript::{Answer, Bytes, Case, Phase, Relation, Silence, Step, Transcript};

/// The factor for deadlines when a hang is confirmed.
pub(crate) const PATIENCE: u32 = 4;

/// How the suite runs.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// Sessions in parallel.
    pub jobs: usize,
    /// Seed of all random choices.
    pub seed: u64,
    /// How much is tried.
    pub effort: Effort,
    /// How the suite writes messages.
    pub speech: Speech,
    /// Part `k` of `n` of the cases, from 1.
    pub shard: Option<(usize, usize)>,
    /// If set, only sessions of these relations run, in addition to the plain examples.
    pub relations: Option<BTreeSet<Relation>>,
}

impl RunSettings {
    /// Is only a part of the suite run?
    pub(crate) fn is_partial(&self) -> bool {
        self.shard.is_some() || self.relations.is_some() || self.effort == Effort::Quick
    }
}

/// Follows the progress of a run, and may end it.
pub trait Progress: Sync {
    /// Reports how many cases are planned so far.
    fn planned(&self, cases: usize);
    /// Reports that a case is done.
    fn done(&self, case: &str);
    /// Set to end the run: running sessions end at once, and no new one starts.
    fn stop(&self) -> &AtomicBool;
}

/// The results of a run.
#[derive(Debug)]
pub struct RunOutput<S> {
    /// All sessions, in the order of the plan.
    pub sessions: Vec<S>,
    /// What the run learned about the subject.
    pub knowledge: Knowledge,
    /// The cases left out because the subject hangs, and why.
    pub left_out: Vec<(String, String)>,
    /// The phases in which the subject also hung with longer deadlines.
    pub hangs: Vec<Phase>,
    /// How many cases did not start or finish because the user ended the run.
    pub not_held: usize,
}

/// The reason for leaving out a case with two promises.
pub(crate) const SETUP: &str = "has setup commands that cannot run twice";

/// If a session pauses at least this long, in microseconds, it leaves the CPU to others.
const IDLE_US: u64 = 20_000;
/// Workers for such sessions, in addition to one per CPU.
const IDLERS: usize = 4;

/// How long a session may pause by its plan, in microseconds.
fn pauses(case: &Case) -> u64 {
    case.plan.as_ref().map_or(0, |plan| {
        // An optional answer may not come, so the session waits for the whole time.
        let optional =
            |step: &&Step| matches!(step, Step::Send(send) if send.answer == Answer::Optional);
        plan.pauses_us() + OPTIONAL_US * plan.steps.iter().filter(optional).count() as u64
    })
}

/// Runs the whole suite against a subject.
///
/// # Errors
/// If no session can start, if a command from the author's configuration fails, or if the harness
/// fails.
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
                // There is nothing more to learn about it.
                break;
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
/// As [`run`], and if the caller sets `stop`.
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

/// A function that runs a session.
type Holding<'h> =
    dyn Fn(&Host, Case, &RunOptions<'_>) -> Result<Transcript, SessionError> + Sync + 'h;

struct Runner<'r, D> {
    dialect: &'r D,
    host: &'r Host,
    settings: &'r RunSettings,
    progress: &'r dyn Progress,
    planned: AtomicUsize,
    /// Have the plain examples run?
    settled: AtomicBool,
    budget: Budget,
    /// Locked while it is not known whether a subject hangs or is slow.
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

    /// Why a case is left out. Waits first until no hang is in doubt.
    fn hopeless(&self, case: &Case) -> Option<String> {
        self.budget.hopeless(case)?;
        let _settled = lock(&self.doubting);
        self.budget.hopeless(case)
    }

    fn stopped(&self) -> bool {
        self.progress.stop().load(Ordering::Relaxed)
    }

    /// Do the settings select one of the relations?
    fn wants(&self, planned: &Planned) -> bool {
        let Some(wanted) = &self.settings.relations else {
            return true;
        };
        let mut relations = planned.relations().into_iter();
        relations.any(|relation| wanted.contains(&relation))
    }

    /// Runs the sessions of a stage.
    fn stage(
        &self,
        setting: &Setting<'_>,
        stage: Stage,
        mut planned: Vec<Planned>,
        output: &mut RunOutput<D::Session>,
    ) -> Result<(), RunError> {
        if stage == Stage::Suite {
            planned.retain(|one| self.wants(one));
            if let Some(part) = self.settings.shard {
                planned = shard(planned, part, Planned::groups);
            }
        }
        let (mut cases, mut driven, mut batches) = (Vec::new(), Vec::new(), Vec::new());
        for one in planned {
            match one {
                Planned::Case(case) => cases.push(case),
                Planned::Driven(case, drive) => driven.push((case, drive)),
                Planned::Batch(batch) => batches.push(batch),
            }
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

    /// Runs a session as its case plans it.
    fn hold(
        &self,
        host: &Host,
        case: Case,
        options: &RunOptions<'_>,
    ) -> Result<Transcript, SessionError> {
        stickler_session::run(host, case, self.dialect.wire(), options)
    }

    /// The first start reads files from disk that later starts find in the cache. If only the first
    /// start hangs, it is replaced by a second one.
    fn start_again(&self, output: &mut RunOutput<D::Session>) -> Result<(), RunError> {
        let [first] = &mut output.sessions[..] else {
            return Ok(());
        };
        let Some((phase, why)) = first.reading().hangs().next() else {
            return Ok(());
        };
        if self.stopped() || self.budget.proven().contains(&phase) {
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
        } else if why == Silence::Deadline && Some(phase) == self.dialect.vocabulary().opening {
            self.budget.never_starts(phase);
        }
        Ok(())
    }

    /// Runs batches. If the subject dies in one, the remaining variants run in a fresh process.
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

    /// Runs sessions that an agent drives.
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
        // If the agent rejects the policy, it sends nothing, and there is no session.
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
        // The longest sessions start first, so that the run does not wait for them at the end.
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
                            // The command worked for the plain example, so only running it again
                            // for a second promise fails.
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

    /// Counts a session. On a busy machine, a subject may just be slow. Therefore, before the rest
    /// is left out, the session runs once more with longer deadlines.
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
    // A worker that panicked has lost only its own case.
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The variant at which the subject died, if it did.
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
