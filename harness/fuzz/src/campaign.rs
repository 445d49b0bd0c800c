//! A campaign: workers that run inputs side by side, until the time is over.

mod agent;
mod aside;
mod known;
mod worker;

use crate::compare::Quiet;
use crate::confirm::confirm;
use crate::corpus::{CorpusError, Folder};
use crate::coverage::{Coverage, LINES, Recorder};
use crate::dictionary::Dictionary;
use crate::engine::drive;
use crate::feedback::CoverageKind;
use crate::finding::Finding;
use crate::input::Input;
use crate::judging::{Judge, Suspicion};
use crate::lane::Driver;
use crate::lock::lock;
use crate::novelty::{MARKS, PAIRS};
use crate::series::{Sample, Series};
use crate::space::{Space, untestable};
use crate::status::{Counters, Status};
use aside::Waiting;
use known::Known;
use std::borrow::Borrow;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};
use stickler_judge::{Level, Rule, View};
use stickler_reading::Exchange;
use stickler_session::sandbox::{Host, Tier};
use stickler_session::{CpuLease, Looks, RunOptions, SessionError};
use stickler_suite::config::Config;
use stickler_suite::{
    Dialect, Harvest, Redactor, RunError, RunSettings, Setting, expectations, learn,
};
use stickler_transcript::Bytes;
use worker::Worker;

/// How often the campaign looks at the time.
const LOOK: Duration = Duration::from_millis(50);
/// After so many inputs without a line, none will be told.
const UNTOLD: u64 = 30;
/// How long a campaign may take longer to confirm what it suspects.
const OVERTIME: Duration = Duration::from_secs(15);
/// After so many sessions in a row that could not be held, a campaign ends.
const FAILURES: u32 = 30;
/// How long it waits after one of them, for each one before.
const REST: Duration = Duration::from_millis(20);
/// How long a subject may take at least, before it seems to hang.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many times longer than usual it may take.
const LONGER: u32 = 4;
/// How often workers look for inputs that others put into the folder.
const SHARE: Duration = Duration::from_secs(5);

/// When a campaign ends. Without a limit, only the user ends it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// After this time.
    pub time: Option<Duration>,
    /// After so many inputs.
    pub cases: Option<u64>,
    /// Once a defect is confirmed that fails the run.
    pub until_finding: bool,
    /// Once the inputs of the corpus have run.
    pub replay_only: bool,
}

/// What is fuzzed, and how.
pub struct Setup<'c, D: Dialect> {
    /// What the sandboxes on this machine can do.
    pub host: &'c Host,
    /// The description of the subject.
    pub config: &'c Config,
    /// Its command line.
    pub argv: &'c [Bytes],
    /// How its first sessions run.
    pub settings: &'c RunSettings,
    /// The rules that judge.
    pub rules: &'c [&'static Rule<D::Session>],
    /// The folder of the corpus.
    pub corpus: &'c Path,
    /// Source text of the subject, for words that it knows.
    pub sources: &'c [Vec<u8>],
    /// What a look at the subject gave, if there is no example.
    pub harvest: Option<&'c Harvest>,
    /// Has the subject tell which lines it runs.
    pub coverage: Option<&'c Coverage>,
    /// Did the user ask for that? Then a campaign that is told nothing tests nothing.
    pub wants_coverage: bool,
    /// When to end.
    pub limits: Limits,
    /// Do findings of level `should` fail the run too?
    pub strict: bool,
}

/// Follows a campaign, and may end it.
pub trait Follow: Sync {
    /// The examples have shown what is secret.
    fn learned(&self, _redactor: Redactor) {}
    /// The campaign begins: so many inputs to begin with.
    fn begins(&self, _seeds: usize, _from_corpus: usize) {}
    /// A defect is confirmed.
    fn found(&self, finding: &Finding);
    /// Something that the user should know.
    fn note(&self, text: &str);
    /// How far it is; called several times a second.
    fn status(&self, status: &Status);
    /// Set to end the campaign.
    fn stop(&self) -> &AtomicBool;
}

/// Why a campaign ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A limit was reached.
    Limit,
    /// A defect was found, and that was the limit.
    Finding,
    /// The corpus has run.
    Replayed,
    /// The user ended it.
    Interrupted,
    /// It could not test anything; the text says why.
    Empty(String),
}

/// The result of a campaign.
#[derive(Debug)]
pub struct CampaignOutcome {
    /// The confirmed defects, in the order of their discovery.
    pub findings: Vec<Finding>,
    /// The counters at the end.
    pub status: Status,
    /// How it went.
    pub series: Vec<Sample>,
    /// Why it ended.
    pub ended: Ended,
    /// All inputs that showed something new.
    pub corpus: Vec<Input>,
    /// What could not be read or written.
    pub troubles: Vec<String>,
}

/// A campaign.
pub struct Campaign<'c, D: Dialect> {
    setup: &'c Setup<'c, D>,
    follow: &'c dyn Follow,
    /// The dialect's word for the subject.
    subject: &'static str,
    counters: Counters,
    series: Mutex<Series>,
    /// What is known about suspicions.
    known: Known,
    /// Suspicions that take long to confirm.
    waiting: Mutex<VecDeque<Waiting>>,
    /// Can they be confirmed beside the workers?
    aside: bool,
    /// How long a subject may take in a campaign before it seems to hang.
    patience: Duration,
    /// How many sessions in a row could not be held.
    failures: AtomicU32,
    findings: Mutex<Vec<Finding>>,
    /// Inputs that showed something new, by the worker that found them.
    inputs: Mutex<Vec<(usize, Input)>>,
    /// The corpus, and when it was last read.
    folder: Mutex<(Folder, Instant)>,
    troubles: Mutex<Vec<String>>,
    over: AtomicBool,
    /// Set when sessions must end at once, too.
    halt: AtomicBool,
    failure: Mutex<Option<RunError>>,
}

/// Runs a campaign.
///
/// # Errors
/// If no session can start, if the corpus cannot be read or made, or if the harness fails.
pub fn campaign<D: Dialect + Sync>(
    dialect: &D,
    setup: &Setup<'_, D>,
    follow: &dyn Follow,
) -> Result<CampaignOutcome, CampaignError> {
    let Setup {
        host,
        config,
        argv,
        settings,
        ..
    } = *setup;
    let folder = Folder::open(setup.corpus)?;
    let learned = learn(dialect, host, config, argv, settings, &Quiet(follow.stop()))?;
    follow.learned(Redactor::informed(dialect, config, &learned.sessions));
    let campaign = Campaign {
        setup,
        follow,
        subject: dialect.vocabulary().subject,
        counters: Counters::new(),
        series: Mutex::new(Series::new()),
        known: Known::default(),
        waiting: Mutex::default(),
        aside: host.tier() == Tier::Overlay,
        patience: patience(&learned.sessions),
        failures: AtomicU32::new(0),
        findings: Mutex::default(),
        inputs: Mutex::default(),
        folder: Mutex::new((folder, Instant::now())),
        troubles: Mutex::default(),
        over: AtomicBool::new(false),
        halt: AtomicBool::new(false),
        failure: Mutex::default(),
    };
    if follow.stop().load(Ordering::Relaxed) {
        return Ok(campaign.outcome(Ended::Interrupted));
    }
    let words = dialect.vocabulary();
    if let Some(why) = untestable(words, config, &learned.known.common) {
        return Ok(campaign.outcome(Ended::Empty(why)));
    }
    let setting = Setting {
        speech: settings.speech,
        seed: settings.seed,
        ..Setting::new(words, host, config, argv, &learned.known)
    };
    let space = Space::new(&setting, Dictionary::of(setup.sources), setup.harvest);
    let mut seeds = space.seeds();
    let own = seeds.len();
    let (mut inputs, wrong) = lock(&campaign.folder).0.new_inputs()?;
    for error in wrong {
        campaign.trouble(error.to_string());
    }
    if setup.limits.replay_only {
        seeds.clear();
        // Of inputs that show the same, the smallest is the one that showed it first.
        inputs.sort_by_cached_key(|input| (input.weight(), input.name()));
    }
    seeds.extend(inputs);
    follow.begins(own.min(seeds.len()), seeds.len().saturating_sub(own));
    if setup.limits.replay_only && seeds.is_empty() {
        let why = "the corpus is empty; run `stickler fuzz` without --replay-only first".to_owned();
        return Ok(campaign.outcome(Ended::Empty(why)));
    }
    let expectations = expectations(config);
    let judge = Judge {
        rules: setup.rules,
        expectations: &expectations,
    };
    // Other tiers have one directory, which sandboxes use in turn.
    let jobs = match host.tier() {
        Tier::Overlay => settings.jobs.max(1),
        Tier::Copy | Tier::None => 1,
    };
    let part = settings.shard.map_or(0, |(part, _)| part as u64);
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for number in 0..jobs {
            let (campaign, space, judge, seeds) = (&campaign, &space, &judge, &seeds);
            workers.push(scope.spawn(move || {
                let lease = CpuLease::take();
                let options = RunOptions {
                    cpu: lease.as_ref().map(CpuLease::cpu),
                    stop: Some(&campaign.halt),
                    brisk: true,
                    ..RunOptions::default()
                };
                // Of thousands of sessions, few change files.
                let looks = Looks::Touched {
                    ours: campaign.setup.coverage.and_then(Coverage::device),
                };
                let sparing = RunOptions { looks, ..options };
                let options = (&sparing, &options);
                let recorder = campaign.recorder(number);
                let mut worker =
                    Worker::new(number, dialect, campaign, (space, judge), options, recorder);
                // Each worker of each part takes another way.
                let seed = settings.seed ^ (part << 32) ^ ((number as u64) << 16);
                let done = if setup.limits.replay_only {
                    worker.replay(seeds, jobs);
                    Ok(())
                } else {
                    let lines = worker.tells_lines().then_some(LINES);
                    drive(
                        &mut worker,
                        space,
                        seeds,
                        MARKS + PAIRS + lines.unwrap_or(0),
                        seed,
                    )
                };
                if let Err(why) = done {
                    lock(&campaign.troubles).push(format!("the engine failed: {why}"));
                    campaign.over.store(true, Ordering::Relaxed);
                }
            }));
        }
        let are_done = move || {
            let mut workers = workers.iter();
            workers.all(std::thread::ScopedJoinHandle::is_finished)
        };
        let (campaign, space, judge) = (&campaign, &space, &judge);
        let aside = scope.spawn(move || campaign.confirm_aside(dialect, space, judge, &are_done));
        while !aside.is_finished() {
            std::thread::sleep(LOOK);
            campaign.look();
        }
    });
    if let Some(error) = lock(&campaign.failure).take() {
        return Err(error.into());
    }
    let ended = campaign.why_ended(words.subject);
    Ok(campaign.outcome(ended))
}

/// How long a subject may take before it seems to hang: what it did before the campaign says what is usual.
fn patience<V: View>(sessions: &[V]) -> Duration {
    let exchanges = sessions
        .iter()
        .flat_map(|session| &session.reading().exchanges);
    let exchanges = exchanges.map(Borrow::<Exchange>::borrow);
    let answered = exchanges.filter(|exchange| exchange.message.is_some());
    let slowest = answered.filter_map(Exchange::took).max().unwrap_or(0);
    PATIENCE.max(Duration::from_micros(slowest) * LONGER)
}

/// Why a campaign could not run.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A session failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The corpus cannot be read or made.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
}

impl<D: Dialect> Campaign<'_, D> {
    /// What a worker's subjects tell. A campaign can do without.
    fn recorder(&self, worker: usize) -> Option<Recorder> {
        let coverage = self.setup.coverage?;
        let recorder = coverage.recorder(worker);
        recorder
            .map_err(|error| self.trouble(format!("no coverage: {error}")))
            .ok()
    }

    /// What subjects tell, if they do.
    fn units(&self) -> &'static str {
        let kind = self.setup.coverage.map(Coverage::kind);
        kind.map_or("lines", CoverageKind::units)
    }

    /// Says what went wrong, once.
    fn trouble(&self, text: String) {
        let mut troubles = lock(&self.troubles);
        if !troubles.contains(&text) {
            self.follow.note(&text);
            troubles.push(text);
        }
    }

    /// Ends the campaign if its time is over or the user ends it. Whoever counts sessions ends it after
    /// the last one.
    fn look(&self) {
        let status = self.status();
        self.follow.status(&status);
        lock(&self.series).note(&status);
        let limits = self.setup.limits;
        let late = limits.time.is_some_and(|time| status.time >= time);
        let told = self.counters.covered.load(Ordering::Relaxed);
        if self.setup.coverage.is_some() && !told && status.cases >= UNTOLD {
            self.trouble(format!(
                "the {} reported no {}: the campaign follows only answers",
                self.subject,
                self.units()
            ));
            if self.setup.wants_coverage {
                self.over.store(true, Ordering::Relaxed);
            }
        }
        let interrupted = self.follow.stop().load(Ordering::Relaxed);
        if late || interrupted {
            self.over.store(true, Ordering::Relaxed);
        }
        // What was suspected in time is confirmed, unless that takes too long.
        let overdue = limits
            .time
            .is_some_and(|time| status.time >= time + OVERTIME);
        if interrupted || overdue {
            self.halt.store(true, Ordering::Relaxed);
        }
    }

    fn status(&self) -> Status {
        let mut counts = [0; 3];
        for finding in lock(&self.findings).iter() {
            counts[match finding.level {
                Level::Must => 0,
                Level::Should => 1,
                Level::May => 2,
            }] += 1;
        }
        self.counters.status(counts, self.units())
    }

    fn why_ended(&self, subject: &str) -> Ended {
        let answers = self.counters.answers.load(Ordering::Relaxed);
        if self.follow.stop().load(Ordering::Relaxed) {
            Ended::Interrupted
        } else if answers == 0 && lock(&self.findings).is_empty() {
            Ended::Empty(format!("the {subject} answered nothing"))
        } else if self.setup.wants_coverage && !self.counters.covered.load(Ordering::Relaxed) {
            let units = self.units();
            Ended::Empty(format!(
                "the {subject} reported no {units}, although --coverage requires them"
            ))
        } else if self.setup.limits.replay_only {
            Ended::Replayed
        } else if self.setup.limits.until_finding
            && lock(&self.findings)
                .iter()
                .any(|finding| finding.fails(self.setup.strict))
        {
            Ended::Finding
        } else {
            Ended::Limit
        }
    }

    fn outcome(&self, ended: Ended) -> CampaignOutcome {
        let status = self.status();
        let findings = lock(&self.findings).clone();
        let inputs = lock(&self.inputs);
        let corpus = inputs.iter().map(|(_, input)| input.clone()).collect();
        let troubles = lock(&self.troubles).clone();
        CampaignOutcome {
            series: lock(&self.series).whole(&status),
            findings,
            status,
            ended,
            corpus,
            troubles,
        }
    }

    /// Notes a confirmed defect.
    fn find(&self, finding: Finding) {
        let ends = self.setup.limits.until_finding && finding.fails(self.setup.strict);
        self.follow.found(&finding);
        lock(&self.findings).push(finding);
        if ends {
            self.over.store(true, Ordering::Relaxed);
        }
    }

    /// Shares an input that showed something new.
    fn share(&self, worker: usize, input: &Input) {
        {
            let mut inputs = lock(&self.inputs);
            if inputs.iter().any(|(_, known)| known == input) {
                return;
            }
            inputs.push((worker, input.clone()));
            self.counters.corpus.store(inputs.len(), Ordering::Relaxed);
        }
        if self.setup.limits.replay_only {
            return;
        }
        let added = lock(&self.folder).0.add(input);
        if let Err(error) = added {
            // The campaign goes on: its findings count more than the corpus.
            self.trouble(format!("the corpus is incomplete: {error}"));
        }
    }

    /// What other workers found since a worker last asked, and what others put into the folder.
    fn found_elsewhere(&self, worker: usize, from: &mut usize) -> Vec<Input> {
        let mut folder = lock(&self.folder);
        if folder.1.elapsed() >= SHARE {
            folder.1 = Instant::now();
            // A folder that cannot be read now may be readable later.
            if let Ok((inputs, _)) = folder.0.new_inputs() {
                let mut all = lock(&self.inputs);
                all.extend(inputs.into_iter().map(|input| (usize::MAX, input)));
            }
        }
        drop(folder);
        let all = lock(&self.inputs);
        let new = all.iter().skip(*from).filter(|(by, _)| *by != worker);
        let others = new.map(|(_, input)| input.clone()).collect();
        *from = all.len();
        others
    }

    /// Confirms a suspicion, and tells of the defect. False if it does not show again. `is_over`: may it be made no
    /// smaller any more?
    fn confirm(
        &self,
        driver: &mut Driver<'_, D>,
        (space, judge): (&Space<'_>, &Judge<'_, D::Session>),
        (input, before): (&Input, &[Input]),
        suspicion: &Suspicion,
        is_over: &dyn Fn() -> bool,
    ) -> Result<bool, RunError> {
        let at = self.counters.began.elapsed();
        let cases = self.counters.cases.load(Ordering::Relaxed);
        let signature = &suspicion.signature;
        let confirmed = confirm(driver, judge, space, (input, before), signature, is_over)?;
        let Some(confirmed) = confirmed else {
            return Ok(false);
        };
        if !self.known.is_new(&confirmed.suspicion) {
            return Ok(true);
        }
        let Some(finding) = confirmed.finding(judge, at, cases) else {
            return Ok(false);
        };
        self.find(finding);
        Ok(true)
    }

    /// A session could not be held. A busy machine may be able to hold the next one; the campaign ends if none can be
    /// held for a while.
    fn survive(&self, error: RunError) {
        if matches!(error, RunError::Session(SessionError::Stopped)) {
            self.over.store(true, Ordering::Relaxed);
            return;
        }
        let failures = self.failures.fetch_add(1, Ordering::Relaxed);
        if failures >= FAILURES {
            lock(&self.failure).get_or_insert(error);
            self.over.store(true, Ordering::Relaxed);
            return;
        }
        self.trouble(format!(
            "a session could not be held: {error}; the campaign goes on"
        ));
        std::thread::sleep(REST * failures.min(10));
    }

    /// A session was held.
    fn held(&self) {
        if self.failures.load(Ordering::Relaxed) > 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
    }
}
