//! What the workers of a campaign share.

use super::events::{CampaignEvent, CampaignObserver};
use super::known::Known;
use super::pool::Pool;
use super::setup::{CampaignOutcome, Ended, Setup};
use crate::confirm::confirm;
use crate::corpus::Folder;
use crate::coverage::{Coverage, Recorder};
use crate::feedback::CoverageKind;
use crate::finding::Finding;
use crate::input::Input;
use crate::judging::{Judge, Suspicion};
use crate::lane::Driver;
use crate::series::Series;
use crate::space::Space;
use crate::status::{Counters, Status};
use crate::technique::Techniques;
use crate::unreached::Reached;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use stickler_session::SessionError;
use stickler_suite::{RunError, lock};

/// After so many inputs without a line, none will be told.
const UNTOLD: u64 = 30;
/// How long a campaign may take longer to confirm what it suspects: a hang takes its deadline.
const OVERTIME: Duration = Duration::from_secs(25);
/// After so many sessions in a row that could not be held, a campaign ends.
const FAILURES: u32 = 30;
/// How long it waits after one of them, for each one before.
const REST: Duration = Duration::from_millis(20);
/// How many troubles are told: each names another file, or another number.
const TROUBLES: usize = 100;
/// How many bytes of sessions stay in memory for the page of the campaign. All findings have files.
const SESSIONS: usize = 32 << 20;

/// A campaign.
pub(super) struct Campaign<'c> {
    pub(super) setup: &'c Setup<'c>,
    pub(super) observer: &'c CampaignObserver<'c>,
    /// The dialect's word for the subject.
    pub(super) subject: &'static str,
    pub(super) counters: Counters,
    /// How long the examples took before.
    pub(super) first: Duration,
    pub(super) series: Mutex<Series>,
    /// What is known about suspicions.
    pub(super) known: Known,
    /// Suspicions that take long to confirm.
    pub(super) waiting: Mutex<VecDeque<Waiting>>,
    /// Can they be confirmed beside the workers?
    pub(super) aside: bool,
    /// How long a subject may take in a campaign before it seems to hang.
    pub(super) patience: Duration,
    /// How many sessions in a row could not be held.
    pub(super) failures: AtomicU32,
    pub(super) findings: Mutex<Vec<Finding>>,
    /// How many bytes the sessions of findings take, about.
    pub(super) sessions: AtomicUsize,
    /// The inputs that are known.
    pub(super) pool: Mutex<Pool>,
    /// The corpus, and when it was last read.
    pub(super) folder: Mutex<(Folder, Instant)>,
    /// What sessions reached.
    pub(super) reached: Mutex<Reached>,
    pub(super) troubles: Mutex<Vec<String>>,
    pub(super) over: AtomicBool,
    /// Since when it has been set.
    pub(super) over_since: Mutex<Option<Instant>>,
    /// Set when sessions must end at once, too.
    pub(super) halt: AtomicBool,
    pub(super) failure: Mutex<Option<RunError>>,
}

/// A suspicion that waits for who confirms beside the workers.
pub(super) struct Waiting {
    pub(super) input: Input,
    pub(super) suspicion: Suspicion,
    pub(super) before: Vec<Input>,
    /// What made the input.
    pub(super) by: Techniques,
}

impl Campaign<'_> {
    /// What a worker's subjects tell. A campaign can do without.
    pub(super) fn recorder(&self, worker: usize) -> Option<Recorder> {
        let coverage = self.setup.coverage?;
        let recorder = coverage.recorder(worker);
        recorder
            .map_err(|error| self.trouble(format!("no coverage: {error}")))
            .ok()
    }

    /// What subjects tell, if they do.
    pub(super) fn units(&self) -> &'static str {
        let kind = self.setup.coverage.map(Coverage::kind);
        kind.map_or("lines", CoverageKind::units)
    }

    /// Says what went wrong, once.
    pub(super) fn trouble(&self, text: String) {
        let mut troubles = lock(&self.troubles);
        if !troubles.contains(&text) && troubles.len() < TROUBLES {
            self.observer.tell(CampaignEvent::Note(&text));
            troubles.push(text);
        }
    }

    /// Ends the campaign if its time is over or the user ends it. Whoever counts sessions ends it after
    /// the last one.
    pub(super) fn look(&self) {
        let status = self.status();
        self.observer.tell(CampaignEvent::Status(&status));
        lock(&self.series).note(&status);
        let limits = self.setup.limits;
        let late = limits
            .time
            .is_some_and(|time| self.first + status.time >= time);
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
        let interrupted = self.observer.stop().load(Ordering::Relaxed);
        if late || interrupted {
            self.over.store(true, Ordering::Relaxed);
        }
        // What was suspected in time is confirmed, unless that takes too long.
        let is_over = self.over.load(Ordering::Relaxed);
        let since = is_over.then(|| *lock(&self.over_since).get_or_insert_with(Instant::now));
        let overdue = since.is_some_and(|since| since.elapsed() >= OVERTIME);
        if interrupted || overdue {
            self.halt.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn status(&self) -> Status {
        let mut status = self.counters.status(self.units());
        for finding in lock(&self.findings).iter() {
            status.count(finding.level);
        }
        status
    }

    /// The examples left no time for a campaign.
    pub(super) fn no_time(&self) -> Ended {
        Ended::Empty(format!(
            "the examples alone took {} s; give the campaign more time, or lower `deadlines` if the {} hangs",
            self.first.as_secs(),
            self.subject
        ))
    }

    pub(super) fn why_ended(&self, subject: &str) -> Ended {
        let answers = self.counters.answers.load(Ordering::Relaxed);
        let is_untried = self.counters.cases.load(Ordering::Relaxed) == 0;
        let limit = self.setup.limits.time;
        let is_late = limit.is_some_and(|limit| self.first + self.status().time >= limit);
        if self.observer.stop().load(Ordering::Relaxed) {
            Ended::Interrupted
        } else if is_untried && is_late {
            self.no_time()
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
                .any(|finding| !finding.again && finding.fails(self.setup.strict))
        {
            Ended::Finding
        } else {
            Ended::Limit
        }
    }

    pub(super) fn outcome(&self, ended: Ended) -> CampaignOutcome {
        let status = self.status();
        let findings = lock(&self.findings).clone();
        let corpus = lock(&self.pool).names();
        let troubles = lock(&self.troubles).clone();
        CampaignOutcome {
            series: lock(&self.series).whole(&status),
            yields: self.counters.yields.read().collect(),
            findings,
            status,
            ended,
            corpus,
            unreached: Vec::new(),
            troubles,
        }
    }

    /// Notes a confirmed defect that an input of these techniques showed.
    pub(super) fn find(&self, mut finding: Finding, by: Techniques) {
        finding.again = self.is_known_before(&finding.signature);
        if !finding.again {
            self.counters.yields.found(by);
        }
        let fails = !finding.again && finding.fails(self.setup.strict);
        // Whoever follows gets findings in the order in which they are kept.
        let mut findings = lock(&self.findings);
        self.observer.tell(CampaignEvent::Found(&finding));
        self.keep(&mut findings, finding);
        drop(findings);
        if self.setup.limits.until_finding && fails {
            self.over.store(true, Ordering::Relaxed);
        }
    }

    /// Keeps a defect, with its sessions if there is room for them.
    pub(super) fn keep(&self, findings: &mut Vec<Finding>, mut finding: Finding) {
        let bytes = finding.bytes();
        if self.sessions.fetch_add(bytes, Ordering::Relaxed) + bytes > SESSIONS {
            self.sessions.fetch_sub(bytes, Ordering::Relaxed);
            finding.transcripts.clear();
        }
        findings.push(finding);
    }

    /// Confirms a suspicion, and tells of the defect. False if it does not show again. `is_over`: may it be made no
    /// smaller any more?
    pub(super) fn confirm(
        &self,
        driver: &mut Driver<'_>,
        (space, judge): (&Space<'_>, &Judge<'_>),
        (input, before, by): (&Input, &[Input], Techniques),
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
        self.find(finding, by);
        Ok(true)
    }

    /// A session could not be held. A busy machine may be able to hold the next one; the campaign ends if none can be
    /// held for a while.
    pub(super) fn survive(&self, error: RunError) {
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
    pub(super) fn held(&self) {
        if self.failures.load(Ordering::Relaxed) > 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
    }
}
