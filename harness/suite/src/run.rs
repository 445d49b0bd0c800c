//! Runs the suite: stages of cases, several in parallel.

mod budget;
mod pool;

pub(crate) use budget::size;
pub use pool::{Cut, Unheld};

use crate::bench::Bench;
use crate::cost::Costs;
use crate::dialect::{Dialect, Planned, PlanningStage};
use crate::effort::Effort;
use crate::error::RunError;
use crate::filter::Filter;
use crate::held;
use crate::learned::Learned;
use crate::lock::lock;
use crate::observer::{RunObserver, Watches};
use crate::plans::Batch;
use crate::schedule::{Schedule, weights};
use crate::setting::{Setting, Speech};
use crate::shard::shard;
use budget::Budget;
use pool::Pool;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use stickler_judge::{AnySession, Level};
use stickler_session::{CpuLease, RunOptions, SessionError};
use stickler_transcript::{Case, Event, Phase, Relation, Silence};

/// The factor for deadlines when a hang is confirmed.
pub(crate) const PATIENCE: u32 = 4;
/// The same if the time that the user gives to the run would be over.
const LITTLE_PATIENCE: u32 = 2;

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
    /// If set, only these sessions run, in addition to the plain examples.
    pub filter: Option<Filter>,
    /// How long sessions are held. Without a limit, all are.
    pub time: Option<Duration>,
    /// How many sessions are held at most, beyond those of the examples as they are: a limit that does not
    /// depend on the speed of the machine. A batch counts as one, and repetitions count for nothing.
    pub sessions: Option<usize>,
    /// Is that the usual time, which nobody asked for? Then a session of each sort that a rule of level `must` reads is
    /// held also after it, up to [`REACH`] times as long: a slow subject, or a busy machine, is not the author's choice.
    pub is_usual_time: bool,
    /// Does the run end when a rule of level `must` fails?
    pub first_failure: bool,
    /// The lowest level of the failures to tell while the run goes on; `None` if none are.
    pub live: Option<Level>,
    /// Are some examples of the description left out?
    pub fewer_examples: bool,
    /// May processes of the subject be copies of an interpreter that has started before?
    pub warm: bool,
}

impl Default for RunSettings {
    /// The whole suite, without a limit of time, one session after the other.
    fn default() -> Self {
        Self {
            jobs: 1,
            seed: 0,
            effort: Effort::Normal,
            speech: Speech::Agent,
            shard: None,
            relations: None,
            filter: None,
            time: None,
            is_usual_time: false,
            sessions: None,
            first_failure: false,
            live: None,
            fewer_examples: false,
            warm: false,
        }
    }
}

impl RunSettings {
    /// Is only a part of the suite run?
    pub(crate) fn is_partial(&self) -> bool {
        self.part().is_some()
    }

    /// Why a rule may have no session in a part of the suite. `None` for all of it.
    pub(crate) fn part(&self) -> Option<&'static str> {
        let is_chosen = self.shard.is_some()
            || self.relations.is_some()
            || self.filter.is_some()
            || self.fewer_examples;
        match self.effort {
            _ if is_chosen => Some("no session of this part of the suite tests this"),
            Effort::Quick => Some("no session of --quick tests this"),
            Effort::Normal | Effort::Deep => None,
        }
    }
}

/// The results of a run.
#[derive(Debug)]
pub struct RunOutput {
    /// All sessions, in the order of the plan.
    pub sessions: Vec<AnySession>,
    /// What the run learned about the subject.
    pub known: Learned,
    /// The cases left out because the subject hangs, and why.
    pub left_out: Vec<(String, String)>,
    /// The phases in which the subject also hung with longer deadlines.
    pub hangs: Vec<Phase>,
    /// How many cases did not start or finish because the user ended the run.
    pub not_held: usize,
    /// What was not held because the time was over, or since a rule had failed.
    pub unheld: Unheld,
    /// How many sessions the filter chooses, or all without one; a batch counts as one.
    pub chosen: usize,
}

/// The reason for leaving out a case whose setup fails, although it works for the plain example.
pub(crate) const SETUP: &str = "has a setup command that fails there";

/// If a session pauses at least this long, in microseconds, it leaves the CPU to others.
const IDLE_US: u64 = 20_000;
/// Workers for such sessions, in addition to one per CPU.
const IDLERS: usize = 4;
/// Who uses less than this part of its time on the CPU waits for something.
const IDLE_PART: u64 = 10;
/// A batch that takes more than this part of the time is divided.
const PARTS: u32 = 12;
/// So many times the usual time is the latest for what is held also after it.
pub const REACH: u32 = 5;
/// With a limit of time, sessions have so many times as long as what confirms their findings.
const SESSIONS: u32 = 9;

/// Runs the whole suite against a subject.
///
/// # Errors
/// If no session can start, if a command from the author's configuration fails, or if the harness
/// fails.
pub(crate) fn run(
    bench: &Bench<'_>,
    settings: &RunSettings,
    observer: &RunObserver<'_>,
    watches: Watches<'_>,
) -> Result<RunOutput, RunError> {
    let runner = Runner::new(bench, settings, observer, watches);
    stages(
        &runner,
        &[
            PlanningStage::First,
            PlanningStage::Examples,
            PlanningStage::Suite,
        ],
    )
}

/// Runs only the sessions from which the suite learns about a subject: its start, and each example
/// unchanged.
///
/// # Errors
/// As [`run`].
pub fn learn(
    bench: &Bench<'_>,
    settings: &RunSettings,
    observer: &RunObserver<'_>,
) -> Result<RunOutput, RunError> {
    let runner = Runner::new(bench, settings, observer, Watches::default());
    stages(&runner, &[PlanningStage::First, PlanningStage::Examples])
}

fn stages(runner: &Runner<'_>, stages: &[PlanningStage]) -> Result<RunOutput, RunError> {
    let Runner {
        bench, settings, ..
    } = *runner;
    let dialect = bench.dialect;
    let mut output = RunOutput {
        sessions: Vec::new(),
        known: dialect.unknown(),
        left_out: Vec::new(),
        hangs: Vec::new(),
        not_held: 0,
        unheld: Unheld::default(),
        chosen: 0,
    };
    let compared = compared(dialect);
    let read = read(dialect);
    for stage in stages.iter().copied() {
        let known = output.known.clone();
        if stage == PlanningStage::Suite {
            runner.settled.store(true, Ordering::Relaxed);
            runner.budget.settle();
            let common = &known.common;
            let answers = common.usable || common.start_us.is_some();
            if !answers || !common.understood && common.valid.is_empty() {
                // There is nothing more to learn about it.
                break;
            }
        }
        let setting = Setting {
            read: read.clone(),
            compared: compared.clone(),
            speech: settings.speech,
            seed: settings.seed,
            ..bench.setting(&known)
        };
        let planned = dialect.plans(&setting, &known, stage, settings.effort);
        runner.stage(&setting, stage, planned, &mut output)?;
        // What is planned and not held for lack of time is named.
        if output.unheld.why.is_some_and(|why| !why.is_time()) {
            break;
        }
        if stage != PlanningStage::Suite {
            runner.start_again(&mut output)?;
            if let Some(why) = dialect.refuses(bench.config, &output.known) {
                return Err(RunError::Description(why));
            }
        }
    }
    output.hangs = runner.budget.proven();
    if runner.is_over() {
        let idle = output.sessions.iter().filter_map(idle_hang);
        let more: Vec<Phase> = idle.filter(|one| !output.hangs.contains(one)).collect();
        output.hangs.extend(more);
    }
    Ok(output)
}

/// The relations whose sessions rules read.
fn read(dialect: &dyn Dialect) -> BTreeSet<Relation> {
    let rules = dialect.rules();
    rules.iter().flat_map(|rule| rule.relations()).collect()
}

/// The relations that rules compare.
fn compared(dialect: &dyn Dialect) -> BTreeSet<Relation> {
    let rules = dialect.rules();
    rules.iter().flat_map(|rule| rule.compared()).collect()
}

/// Runs a stored case again.
///
/// # Errors
/// As [`run`], and if the caller sets `stop`.
pub fn replay(
    bench: &Bench<'_>,
    case: Case,
    patience: u32,
    stop: Option<&AtomicBool>,
) -> Result<AnySession, RunError> {
    let lease = CpuLease::take();
    let options = RunOptions {
        cpu: lease.as_ref().map(CpuLease::cpu),
        patience,
        stop,
        ..RunOptions::default()
    };
    let held = held::run(bench.host, case, bench.dialect.wire(), &options)?;
    Ok(bench.dialect.read(held))
}

struct Runner<'r> {
    bench: &'r Bench<'r>,
    settings: &'r RunSettings,
    observer: &'r RunObserver<'r>,
    watches: Watches<'r>,
    /// When the run began.
    began: Instant,
    planned: AtomicUsize,
    /// Have the plain examples run?
    settled: AtomicBool,
    budget: Budget,
    /// Locked while it is not known whether a subject hangs or is slow.
    doubting: Mutex<()>,
}

impl<'r> Runner<'r> {
    fn new(
        bench: &'r Bench<'r>,
        settings: &'r RunSettings,
        observer: &'r RunObserver<'r>,
        watches: Watches<'r>,
    ) -> Self {
        Runner {
            bench,
            settings,
            observer,
            watches,
            began: Instant::now(),
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

    /// Is the time over that the user gives to the run?
    fn is_over(&self) -> bool {
        let time = self.settings.time;
        time.is_some_and(|time| self.began.elapsed() >= time)
    }

    fn stopped(&self) -> bool {
        self.observer.stop().load(Ordering::Relaxed)
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
        stage: PlanningStage,
        mut planned: Vec<Planned>,
        output: &mut RunOutput,
    ) -> Result<(), RunError> {
        let known = Costs::of(&output.sessions, self.bench.dialect.vocabulary());
        let cost = |one: &Planned| known.of_planned(one, setting);
        // Without the plain examples, a run says nothing, so these begin whatever they take.
        let mut until = match stage {
            PlanningStage::First => None,
            _ => self.settings.time.map(|time| self.began + time),
        };
        if stage == PlanningStage::Suite {
            planned.retain(|one| self.wants(one));
            if let Some(part) = self.settings.shard {
                planned = shard(planned, part, Planned::groups);
            }
            if let Some(filter) = &self.settings.filter {
                planned = filter.chosen(planned);
            }
            if let Some(time) = self.settings.time {
                planned = divided(planned, cost, time / PARTS);
                until = Some(self.began + time * SESSIONS / (SESSIONS + 1));
            }
        }
        // The plain examples run even if nothing chooses them.
        output.chosen += match &self.settings.filter {
            Some(filter) => planned.iter().filter(|one| filter.chooses(one)).count(),
            None => planned.len(),
        };
        let costs: Vec<u64> = planned.iter().map(cost).collect();
        let schedule = match stage {
            PlanningStage::Suite => self.ordered(&planned, &costs),
            PlanningStage::First | PlanningStage::Examples => Schedule::as_planned(planned.len()),
        };
        let pool = Pool::new(self, setting, planned, &schedule, &costs, until);
        let cut = pool.run(&output.sessions)?;
        pool.finish(cut, output);
        Ok(())
    }

    /// The order of the suite's sessions.
    fn ordered(&self, planned: &[Planned], costs: &[u64]) -> Schedule {
        let weights = weights(&self.bench.dialect.rules());
        match self.settings.sessions {
            // What is measured differs from run to run.
            Some(_) => {
                let steps: Vec<u64> = planned.iter().map(Planned::steps).collect();
                Schedule::of(planned, &steps, &weights)
            }
            None => Schedule::of(planned, costs, &weights),
        }
    }

    /// The first start reads files from disk that later starts find in the cache. If only the first
    /// start hangs, it is replaced by a second one.
    fn start_again(&self, output: &mut RunOutput) -> Result<(), RunError> {
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
            self.bench,
            first.case().clone(),
            1,
            Some(self.observer.stop()),
        )?;
        if self.stopped() {
            // The second one came to no end: what the first one showed stays.
            return Ok(());
        }
        if session.reading().hangs().next().is_none() {
            self.bench.dialect.learn(&mut output.known, &session);
            output.known.common.count(&session);
            self.budget.forgive(first, phase);
            *first = session;
        } else if why == Silence::Deadline && Some(phase) == self.bench.dialect.vocabulary().opening
        {
            self.budget.never_starts(phase);
        }
        Ok(())
    }

    /// Counts a session. On a busy machine, a subject may just be slow. Therefore, before the rest
    /// is left out, the session runs once more with longer deadlines.
    fn count(&self, session: &AnySession, options: RunOptions<'_>) {
        let hung = session.reading().hangs().next().is_some();
        let _doubting = hung.then(|| lock(&self.doubting));
        self.budget.count(session);
        let Some(phase) = self.budget.late(session) else {
            return;
        };
        if self.is_over() && idle_hang(session) == Some(phase) {
            self.budget.prove(session, phase);
            return;
        }
        let deadline = Duration::from_micros(session.case().deadlines.of(phase));
        let has_time = |time: Duration| self.began.elapsed() + deadline * PATIENCE <= time;
        let patient = RunOptions {
            patience: match self.settings.time.is_none_or(has_time) {
                true => PATIENCE,
                false => LITTLE_PATIENCE,
            },
            until: None,
            warm: false,
            ..self.budget.sparing(options)
        };
        let dialect = self.bench.dialect;
        let case = session.case().clone();
        let again = held::run(self.bench.host, case, dialect.wire(), &patient);
        let again = again.map(|transcript| dialect.read(transcript));
        if again.is_ok_and(|again| again.reading().hangs().all(|(silent, _)| silent != phase)) {
            self.budget.forgive(session, phase);
        } else {
            self.budget.prove(session, phase);
        }
    }
}

/// The phase in which the subject hung, if it did.
pub(crate) fn hangs(session: &AnySession) -> Option<Phase> {
    let is_quiet = |why| matches!(why, Silence::Deadline | Silence::Input);
    let mut hangs = session.reading().hangs();
    hangs.find_map(|(phase, why)| is_quiet(why).then_some(phase))
}

/// The phase in which a subject hung, if it did so without using the CPU: it waited for something, and
/// the machine was not too busy for it.
fn idle_hang(session: &AnySession) -> Option<Phase> {
    let phase = hangs(session)?;
    let events = session.reading().transcript().events.iter();
    let used: u64 = events
        .filter_map(|event| match event {
            Event::Exit { usage, .. } => Some(usage.user_us + usage.system_us),
            _ => None,
        })
        .sum();
    (used * IDLE_PART < session.case().deadlines.of(phase)).then_some(phase)
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

/// Divides batches that take longer than `most`, so that a run with a limit holds a part of them.
fn divided(planned: Vec<Planned>, cost: impl Fn(&Planned) -> u64, most: Duration) -> Vec<Planned> {
    let parts = |one: &Planned| {
        let takes = u128::from(cost(one));
        usize::try_from(takes.div_ceil(most.as_micros().max(1))).unwrap_or(usize::MAX)
    };
    let divide = |one: Planned| {
        let parts = match &one {
            Planned::Batch(batch) if !batch.whole => parts(&one),
            _ => 1,
        };
        match one {
            Planned::Batch(batch) if parts > 1 => {
                batch.divided(parts).map(Planned::Batch).collect()
            }
            other => vec![other],
        }
    };
    planned.into_iter().flat_map(divide).collect()
}

/// The variant at which the subject died, if it did.
fn stopped_at(session: &AnySession, batch: &Batch) -> Option<usize> {
    let reading = session.reading();
    if reading.is_complete() {
        return None;
    }
    let mut exchanges = reading.exchanges().rev();
    let last = exchanges.find_map(|exchange| exchange.item.as_ref())?;
    let mut variants = batch.variants.iter();
    variants.position(|variant| variant.info.label == *last)
}
