//! Runs the suite: stages of cases, several at a time.

mod spent;

pub(crate) use spent::size;

use crate::builder::{Setting, Speech};
use crate::config::Config;
use crate::confirm::PATIENCE;
use crate::driven;
use crate::knowledge::Knowledge;
use crate::plans::{self, Batch, Driven};
use crate::turn::PromiseWire;
use cfengine_protocol::phase;
use cfengine_protocol::{Memo, Session};
use spent::{Spent, hangs};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use stickler_session::sandbox::{Host, Lack, Tier};
use stickler_session::{CpuLease, OPTIONAL_US, RunOptions, SessionError};
use stickler_transcript::{Answer, Bytes, Case, Phase, Relation, Step, Transcript};
use thiserror::Error;

/// How much is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Each rule by its cheapest cases.
    Quick,
    /// The suite.
    #[default]
    Normal,
    /// Ten times the variants.
    Deep,
}

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
#[derive(Debug, Default)]
pub struct RunOutput {
    /// All sessions, in the order of the plan.
    pub sessions: Vec<Session>,
    /// What was learned of the subject.
    pub knowledge: Knowledge,
    /// Cases left out, since the subject hangs, and why.
    pub left_out: Vec<(String, String)>,
    /// The phases in which the subject hung once more, waited for with patience.
    pub hangs: Vec<Phase>,
    /// Cases that were not begun or not brought to their end, since somebody ended the run.
    pub not_held: usize,
}

/// Why there was no run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The module or its interpreter is not there.
    #[error("{0}")]
    Subject(String),
    /// A command of the author's failed.
    #[error("{what} failed: {why}")]
    Command {
        /// Its command line.
        what: String,
        /// What it said.
        why: String,
    },
    /// The harness itself failed.
    #[error(transparent)]
    Session(SessionError),
}

impl From<SessionError> for RunError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Command { what, why } => RunError::Command { what, why },
            other => RunError::Session(other),
        }
    }
}

/// Why a case with two promises is left out.
const SETUP: &str = "has setup commands that cannot run twice";

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
pub fn run(
    host: &Host,
    config: &Config,
    argv: &[Bytes],
    settings: &RunSettings,
    progress: &dyn Progress,
) -> Result<RunOutput, RunError> {
    let mut output = RunOutput::default();
    let runner = Runner::new(host, settings, progress);
    let sandboxed = host.tier() != Tier::None;
    let targets = !host.lacking().contains(&Lack::Targets);
    macro_rules! setting {
        ($knowledge:expr) => {
            Setting {
                config,
                knowledge: $knowledge,
                argv: argv.to_vec(),
                speech: settings.speech,
                seed: settings.seed,
                sandboxed,
                targets,
            }
        };
    }
    for stage in [plans::calibration, plans::baselines] {
        let known = output.knowledge.clone();
        let cases = stage(&setting!(&known));
        runner.stage(cases, &mut output)?;
        runner.start_again(&mut output)?;
    }
    runner.settled.store(true, Ordering::Relaxed);
    runner.spent.settle();
    let known = output.knowledge.clone();
    if !known.usable && known.start_us.is_none() {
        // Without a header nothing more is to be learned.
        return Ok(output);
    }
    if known.protocol.is_none() && known.valid.is_empty() {
        // It asks for no protocol, and does not speak the one that agents then take.
        return Ok(output);
    }
    let setting = setting!(&known);
    let mut cases = plans::cases(&setting, settings.effort);
    cases.retain(|case| runner.wants(case));
    let cases = runner.shard(cases);
    runner.stage(cases, &mut output)?;
    let mut driven = plans::driven(&setting, settings.effort);
    driven.retain(|one| runner.wants(&one.case));
    let driven = runner.shard(driven);
    runner.driven(&driven, &mut output)?;
    let mut batches = plans::batches(&setting, settings.effort);
    batches.retain(|batch| match &settings.relations {
        Some(relations) => relations.contains(&batch.relation),
        None => true,
    });
    let batches = runner.shard(batches);
    runner.batches(&setting, batches, &mut output)?;
    output.hangs = runner.spent.proven();
    Ok(output)
}

/// Runs a stored case again.
///
/// # Errors
/// As [`run`], and where somebody wants it to end.
pub fn replay(
    host: &Host,
    case: Case,
    patience: u32,
    stop: Option<&AtomicBool>,
) -> Result<Session, RunError> {
    let lease = CpuLease::take();
    let options = RunOptions {
        cpu: lease.as_ref().map(CpuLease::cpu),
        patience,
        stop,
        ..RunOptions::default()
    };
    Ok(Session::new(hold(host, case, &options)?))
}

/// How a session is held.
type Holding<'h> =
    dyn Fn(&Host, Case, &RunOptions<'_>) -> Result<Transcript, SessionError> + Sync + 'h;

/// As its case plans it.
fn hold(host: &Host, case: Case, options: &RunOptions<'_>) -> Result<Transcript, SessionError> {
    stickler_session::run(host, case, &PromiseWire, options)
}

struct Runner<'r> {
    host: &'r Host,
    settings: &'r RunSettings,
    progress: &'r dyn Progress,
    planned: AtomicUsize,
    /// The examples themselves have run.
    settled: AtomicBool,
    spent: Spent,
    /// Held while it is not known whether a subject hangs or is slow.
    doubting: Mutex<()>,
    memo: Memo,
}

impl<'r> Runner<'r> {
    fn new(host: &'r Host, settings: &'r RunSettings, progress: &'r dyn Progress) -> Self {
        Runner {
            host,
            settings,
            progress,
            planned: AtomicUsize::new(0),
            settled: AtomicBool::new(false),
            spent: Spent::default(),
            doubting: Mutex::default(),
            memo: Memo::default(),
        }
    }

    /// Why a case is left out, once no doubt is left.
    fn hopeless(&self, case: &Case) -> Option<String> {
        self.spent.hopeless(case)?;
        let _settled = lock(&self.doubting);
        self.spent.hopeless(case)
    }

    fn stopped(&self) -> bool {
        self.progress.stop().load(Ordering::Relaxed)
    }

    /// Is a case to be held, as far as relations go?
    fn wants(&self, case: &Case) -> bool {
        let Some(relations) = &self.settings.relations else {
            return true;
        };
        let mut groups = case.groups.iter();
        groups.any(|member| relations.contains(&member.relation))
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

    /// Runs cases side by side and takes their sessions in.
    fn stage(&self, cases: Vec<Case>, output: &mut RunOutput) -> Result<(), RunError> {
        let sessions = self.side_by_side(cases, &hold, output)?;
        for session in sessions {
            output.knowledge.learn(&session);
            output.sessions.push(session);
        }
        Ok(())
    }

    /// A first start reads from the disk what later ones find in memory: where it alone took
    /// too long, it counts for nothing.
    fn start_again(&self, output: &mut RunOutput) -> Result<(), RunError> {
        let [first] = &mut output.sessions[..] else {
            return Ok(());
        };
        if self.stopped() || hangs(first).next().is_none() {
            return Ok(());
        }
        let session = replay(
            self.host,
            first.case().clone(),
            1,
            Some(self.progress.stop()),
        )?;
        if hangs(&session).next().is_none() {
            output.knowledge.learn(&session);
            self.spent.forgive(phase::HEADER);
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
        output: &mut RunOutput,
    ) -> Result<(), RunError> {
        let mut open: Vec<(Batch, usize, usize)> =
            batches.into_iter().map(|batch| (batch, 0, 0)).collect();
        while !open.is_empty() && !self.stopped() {
            let cases: Vec<Case> = open
                .iter()
                .map(|(batch, first, tries)| batch.case(setting, *first, *tries))
                .collect();
            let ids: Vec<String> = cases.iter().map(|case| case.id.clone()).collect();
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

    /// Runs sessions that the reference agent drives.
    fn driven(&self, driven: &[Driven], output: &mut RunOutput) -> Result<(), RunError> {
        let cases = driven.iter().map(|one| one.case.clone()).collect();
        let by_case: HashMap<&str, &Driven> =
            driven.iter().map(|one| (&*one.case.id, one)).collect();
        let hold = |host: &Host, case: Case, options: &RunOptions<'_>| match by_case.get(&*case.id)
        {
            Some(driven) => driven::hold(host, driven, options),
            None => hold(host, case, options),
        };
        let sessions = self.side_by_side(cases, &hold, output)?;
        // Where the agent takes no policy, nothing was said.
        let held = sessions
            .into_iter()
            .filter(|session| !session.exchanges.is_empty());
        output.sessions.extend(held);
        Ok(())
    }

    fn side_by_side(
        &self,
        cases: Vec<Case>,
        hold: &Holding<'_>,
        output: &mut RunOutput,
    ) -> Result<Vec<Session>, RunError> {
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
        let done: Mutex<Vec<Option<Session>>> = Mutex::new((0..count).map(|_| None).collect());
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
                        match hold(self.host, case, &self.spent.sparing(options)) {
                            Ok(transcript) => {
                                let session = Session::with(transcript, &self.memo);
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
    fn count(&self, session: &Session, hold: &Holding<'_>, options: RunOptions<'_>) {
        let hung = hangs(session).next().is_some();
        let _doubting = hung.then(|| lock(&self.doubting));
        self.spent.count(session);
        let Some(phase) = self.spent.late(session) else {
            return;
        };
        let patient = RunOptions {
            patience: PATIENCE,
            ..self.spent.sparing(options)
        };
        let again = hold(self.host, session.case().clone(), &patient);
        let again = again.map(|transcript| Session::with(transcript, &self.memo));
        if again.is_ok_and(|again| hangs(&again).all(|(silent, _)| silent != phase)) {
            self.spent.forgive(phase);
        } else {
            self.spent.prove(phase);
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
fn stopped_at(session: &Session, batch: &Batch) -> Option<usize> {
    if session.complete {
        return None;
    }
    let last = session
        .exchanges
        .iter()
        .rev()
        .find(|exchange| exchange.item.is_some())?;
    batch
        .variants
        .iter()
        .position(|variant| Some(&variant.info.label) == last.item.as_ref())
}

/// The subject's command line, looked up.
///
/// # Errors
/// Where the module or its interpreter is not there; the message says what to do.
pub fn command_line(config: &Config) -> Result<Vec<Bytes>, RunError> {
    let subject = &config.subject;
    let words: Vec<PathBuf> = if subject.command.is_empty() {
        let Some(path) = &subject.path else {
            return Err(RunError::Subject(
                "no module is named; give its path, or `path` in stickler.toml".into(),
            ));
        };
        subject
            .interpreter
            .iter()
            .map(PathBuf::from)
            .chain([absolute(config, path)])
            .collect()
    } else {
        subject.command.iter().map(PathBuf::from).collect()
    };
    use std::os::unix::ffi::OsStringExt;
    Ok(words
        .into_iter()
        .map(|word| word.into_os_string().into_vec().into())
        .collect())
}

fn absolute(config: &Config, path: &std::path::Path) -> PathBuf {
    let joined = config.dir.join(path);
    std::fs::canonicalize(&joined).unwrap_or(joined)
}
