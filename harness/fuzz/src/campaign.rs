//! A campaign: workers that run inputs side by side, until the time is over.

mod agent;
mod aside;
mod before;
mod comparing;
mod events;
mod exchange;
mod first;
mod known;
mod pool;
mod recall;
mod setup;
mod shared;
mod worker;

pub use before::{Before, Recalled};
pub use events::{CampaignEvent, CampaignObserver};
pub use setup::{CampaignOutcome, Ended, Limits, Setup};

use crate::corpus::{CorpusError, Folder};
use crate::coverage::{Coverage, LINES};
use crate::dictionary::Dictionary;
use crate::engine::drive;
use crate::judging::Judge;
use crate::novelty::{MARKS, PAIRS};
use crate::probes::probes;
use crate::secrets::Secrets;
use crate::series::Series;
use crate::space::{Space, untestable};
use crate::status::Counters;
use first::{First, first};
use known::Known;
use pool::Pool;
use setup::LOOK;
use shared::Campaign;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use stickler_judge::{AnySession, Presumed, judge};
use stickler_reading::Exchange;
use stickler_session::sandbox::Tier;
use stickler_session::{CpuLease, Looks, RunOptions};
use stickler_suite::{Bench, Redactor, RunError, Setting, expectations, lock};
use worker::Worker;

/// How long a subject may take at least, before it seems to hang.
const PATIENCE: Duration = Duration::from_secs(1);
/// What separates the seeds of the runs of a campaign.
const RUN: u64 = 0x9e37_79b9_7f4a_7c15;
/// How many times longer than usual it may take.
const LONGER: u32 = 4;

/// Runs a campaign.
///
/// # Errors
/// If no session can start, if the corpus cannot be read or made, or if the harness fails.
pub fn campaign(
    setup: &Setup<'_>,
    observer: &CampaignObserver<'_>,
) -> Result<CampaignOutcome, CampaignError> {
    let Setup {
        bench, settings, ..
    } = *setup;
    let Bench {
        dialect,
        host,
        config,
        ..
    } = bench;
    let folder = Folder::open(setup.corpus)?;
    let First {
        output: learned,
        took,
        is_cut,
    } = first(setup, observer.stop())?;
    let redactor = Redactor::informed(dialect, config, &learned.sessions);
    let secrets = Secrets::from(&redactor);
    let folder = folder.hiding(secrets.clone());
    observer.tell(CampaignEvent::Learned(Arc::new(redactor)));
    let campaign = Campaign {
        setup,
        observer,
        subject: dialect.vocabulary().subject,
        counters: Counters::new(),
        first: took,
        series: Mutex::new(Series::new()),
        known: Known::default(),
        waiting: Mutex::default(),
        aside: host.tier() == Tier::Overlay,
        patience: patience(&learned.sessions),
        failures: AtomicU32::new(0),
        findings: Mutex::default(),
        sessions: AtomicUsize::new(0),
        pool: Mutex::new(Pool::new()),
        folder: Mutex::new((folder, Instant::now())),
        reached: Mutex::default(),
        troubles: Mutex::default(),
        over: AtomicBool::new(false),
        over_since: Mutex::default(),
        halt: AtomicBool::new(false),
        failure: Mutex::default(),
    };
    if observer.stop().load(Ordering::Relaxed) {
        return Ok(campaign.outcome(Ended::Interrupted));
    }
    let words = dialect.vocabulary();
    let expectations = expectations(config);
    let ledgers = judge(setup.rules, &learned.sessions);
    let presumed = Presumed::of(setup.rules, &ledgers, &learned.sessions);
    let judge = Judge {
        rules: setup.rules,
        expectations: &expectations,
        presumed: &presumed,
    };
    campaign.tell_hangs(&judge, &learned.sessions);
    if is_cut {
        let ended = match lock(&campaign.findings).is_empty() {
            true => campaign.no_time(),
            false => Ended::Limit,
        };
        return Ok(campaign.outcome(ended));
    }
    if let Some(why) = untestable(words, config, &learned.known.common) {
        return Ok(campaign.outcome(Ended::Empty(why)));
    }
    let setting = Setting {
        speech: settings.speech,
        seed: settings.seed,
        ..bench.setting(&learned.known)
    };
    let dictionary = Dictionary::of(setup.sources);
    let space = Space::new(&setting, dictionary, setup.harvest, secrets);
    let mut seeds = space.seeds();
    let (from_corpus, wrong) = campaign.load()?;
    for error in wrong {
        campaign.trouble(error.to_string());
    }
    if setup.limits.replay_only {
        seeds.clear();
    }
    if setup.limits.replay_only && from_corpus == 0 {
        let why = "the corpus is empty; run `stickler fuzz` without --replay-only first".to_owned();
        return Ok(campaign.outcome(Ended::Empty(why)));
    }
    campaign.recall(&space, &judge);
    observer.tell(CampaignEvent::Begins {
        seeds: seeds.len(),
        from_corpus,
    });
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
                let mut worker = Worker::new(number, campaign, (space, judge), options, recorder);
                // Each worker of each part takes another way, and so does each run.
                let run = setup.run.wrapping_mul(RUN);
                let seed = settings.seed ^ (part << 32) ^ ((number as u64) << 16) ^ run;
                let done = if setup.limits.replay_only {
                    // The workers lock it as well.
                    let inputs = lock(&campaign.pool).smallest_first();
                    worker.replay(inputs, jobs);
                    Ok(())
                } else {
                    let lines = worker.tells_lines().then_some(LINES);
                    // Each input is tried by one of them.
                    let probes = probes(space).of(number, jobs);
                    drive(
                        &mut worker,
                        space,
                        (seeds, probes),
                        &campaign.counters.yields,
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
        let aside = scope.spawn(move || campaign.confirm_aside(space, judge, &are_done));
        while !aside.is_finished() {
            std::thread::sleep(LOOK);
            campaign.look();
        }
    });
    if let Some(error) = lock(&campaign.failure).take() {
        return Err(error.into());
    }
    let ended = campaign.why_ended(words.subject);
    let mut outcome = campaign.outcome(ended);
    if !setup.limits.replay_only {
        let files = setup.coverage.map(|coverage| coverage.sources(setup.files));
        let reached = lock(&campaign.reached);
        let fields = &space.dictionary.fields;
        outcome.unreached = reached.unreached(&setting, fields, &files.unwrap_or_default());
    }
    Ok(outcome)
}

/// How long a subject may take before it seems to hang: what it did before the campaign says what is usual.
fn patience(sessions: &[AnySession]) -> Duration {
    let exchanges = sessions
        .iter()
        .flat_map(|session| session.reading().exchanges());
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
