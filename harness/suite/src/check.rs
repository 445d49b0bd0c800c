//! A whole check: runs the suite, judges its sessions, confirms findings, and explains and redacts
//! the outcomes. Each of these stages turns outcomes of one type into those of the next.

use crate::bench::Bench;
use crate::config::{Config, Exception, today};
use crate::confirm::{Tries, behind, confirm};
use crate::dialect::Dialect;
use crate::error::RunError;
use crate::explain::{explained, left_open, remarked};
use crate::knowledge::Knowledge;
use crate::live::Live;
use crate::lock::lock;
use crate::observer::{RunObserver, SoFar, Watch, Watches};
use crate::redact::Redactor;
use crate::run::{RunSettings, Unheld, run};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use stickler_judge::{
    AnySession, Confirmed, Expectation, Expectations, Explained, Judged, Level, Reported, Rule,
    Scope, Timeline, Verdict, conclude, judge,
};
use stickler_session::sandbox::Tier;
use stickler_transcript::Transcript;

/// What is checked, and how.
pub struct Checking<'c> {
    /// What its sessions are held with.
    pub bench: Bench<'c>,
    /// How the suite runs.
    pub settings: &'c RunSettings,
    /// The rules that judge.
    pub rules: &'c [&'static Rule],
    /// The folder for reproducers.
    pub reproducers: &'c Path,
    /// How their names begin: a name for the subject that is the same in each run.
    pub name: &'c str,
}

/// The result of a check.
pub struct Checked {
    /// One outcome per rule, in the order of the rules, without secrets. It holds the path of a
    /// reproducer.
    pub outcomes: Vec<Reported>,
    /// All sessions in the order of the plan, unredacted: with secrets.
    pub sessions: Vec<AnySession>,
    /// What the run learned about the subject.
    pub knowledge: Knowledge,
    /// The cases left out, and the reasons.
    pub left_out: Vec<(String, String)>,
    /// How many cases did not start or finish because the user ended the run.
    pub not_held: usize,
    /// What was not held because the time was over, or since a rule had failed.
    pub unheld: Unheld,
    /// How many sessions the filter chooses, or all without one; a batch counts as one.
    pub chosen: usize,
    /// Did the user end the run?
    pub interrupted: bool,
    /// Did only a part of the suite run?
    pub partial: bool,
    /// What hides the secrets that the description or a session shows.
    pub redactor: Redactor,
    /// The files to write with their sessions, without secrets.
    pub reproducers: Vec<(PathBuf, Vec<Transcript>)>,
}

impl Checked {
    /// How many exchanges all sessions hold.
    pub fn exchanges(&self) -> usize {
        let sessions = self.sessions.iter();
        sessions.map(|one| one.reading().length()).sum()
    }
}

/// Checks a subject.
///
/// # Errors
/// As [`run`].
pub fn check(checking: &Checking<'_>, observer: &RunObserver<'_>) -> Result<Checked, RunError> {
    let Checking {
        bench,
        settings,
        rules,
        reproducers,
        name,
    } = *checking;
    let Bench {
        dialect,
        host,
        config,
        ..
    } = bench;
    let began = Instant::now();
    let watch = FirstFailure {
        checking,
        expectations: expectations(config),
        cleared: Mutex::default(),
    };
    let live = |level| Live::of(bench, rules, expectations(config), level, observer);
    let live = settings.live.map(live);
    let watches = Watches {
        ends: settings.first_failure.then_some(&watch as &dyn Watch),
        tells: live.as_ref().map(|live| live as &dyn Watch),
    };
    let output = run(&bench, settings, observer, watches)?;
    let redactor = Redactor::informed(dialect, config, &output.sessions);
    let ledgers = judge(rules, &output.sessions);
    // A weaker sandbox shows less.
    let partial =
        settings.is_partial() || host.tier() != Tier::Overlay || output.unheld.why.is_some();
    let expectations = Expectations {
        partial,
        ..expectations(config)
    };
    let judged = conclude(rules, &ledgers, &output.sessions, &expectations);
    let mut outcomes: Vec<Confirmed> = judged.into_iter().map(Confirmed::from).collect();
    if let Some(live) = &live {
        live.spare(&mut outcomes);
    }
    confirm(
        &bench,
        rules,
        &output.sessions,
        &output.hangs,
        &mut outcomes,
        Tries {
            jobs: settings.jobs,
            until: settings.time.map(|time| began + time),
            stop: observer.stop(),
        },
    )?;
    if let Some(live) = &live {
        live.uphold(&mut outcomes, &output.sessions);
    }
    let interrupted = observer.stop().load(Ordering::Relaxed);
    let mut files = Vec::new();
    let report = |(outcome, rule): (Confirmed, &&'static Rule)| {
        let outcome = match interrupted {
            true => left_open(outcome, rule),
            false => explained(&bench, outcome, rule, &output, settings.part()),
        };
        let outcome = remarked(dialect, rule, outcome, &output.sessions);
        let (mut path, mut timelines) = (None, Vec::new());
        if let Some((cases, transcripts)) = reproducer(&outcome, &output.sessions, &redactor) {
            let file = reproducers.join(format!("{name}-{}-{cases}.jsonl", outcome.code));
            path = Some(file.display().to_string());
            timelines = transcripts.iter().map(Timeline::of).collect();
            files.push((file, transcripts));
        }
        let mut reported = outcome.reported(path, timelines);
        redactor.outcome(&mut reported);
        reported
    };
    let outcomes = outcomes.into_iter().zip(rules).map(report).collect();
    Ok(Checked {
        outcomes,
        sessions: output.sessions,
        knowledge: output.known.common,
        left_out: output.left_out,
        not_held: output.not_held,
        unheld: output.unheld,
        chosen: output.chosen,
        interrupted,
        partial,
        redactor,
        reproducers: files,
    })
}

/// Ends a run at the first rule of level `must` that fails, also in fresh processes.
struct FirstFailure<'c> {
    checking: &'c Checking<'c>,
    expectations: Expectations,
    /// The rules that seemed to fail and did not.
    cleared: Mutex<BTreeSet<&'static str>>,
}

impl Watch for FirstFailure<'_> {
    fn failures(&self, so_far: &SoFar<'_>) -> Vec<Judged> {
        let cleared = lock(&self.cleared);
        let rules = self.checking.rules.iter().copied();
        let rules: Vec<_> = rules.filter(|rule| !cleared.contains(rule.code)).collect();
        let ledgers = judge(&rules, so_far.sessions);
        let outcomes = conclude(&rules, &ledgers, so_far.sessions, &self.expectations);
        let fails = |one: &Judged| one.verdict == Verdict::Fail && one.level == Level::Must;
        let fails = |one: &Judged| fails(one) && one.explained_by.is_none();
        outcomes.into_iter().filter(fails).collect()
    }

    fn proves(
        &self,
        so_far: &SoFar<'_>,
        failures: Vec<Judged>,
        over: &AtomicBool,
    ) -> Result<bool, RunError> {
        let mut failing: Vec<Confirmed> = failures.into_iter().map(Confirmed::from).collect();
        let Checking { bench, rules, .. } = self.checking;
        confirm(
            bench,
            rules,
            so_far.sessions,
            so_far.hangs,
            &mut failing,
            Tries {
                jobs: self.checking.settings.jobs,
                until: None,
                stop: over,
            },
        )?;
        if failing.iter().any(|one| one.verdict == Verdict::Fail) {
            return Ok(true);
        }
        let mut known = lock(&self.cleared);
        known.extend(failing.iter().map(|one| one.code));
        Ok(false)
    }
}

/// Judges stored sessions. Starts no process.
pub fn judged(
    dialect: &dyn Dialect,
    rules: &[&Rule],
    sessions: &[AnySession],
    expectations: &Expectations,
) -> Vec<Explained> {
    let ledgers = judge(rules, sessions);
    let judged = conclude(rules, &ledgers, sessions, expectations);
    let mut outcomes: Vec<Confirmed> = judged.into_iter().map(Confirmed::from).collect();
    Confirmed::set_aside(&mut outcomes);
    let all = outcomes.into_iter().zip(rules);
    all.map(|(outcome, rule)| remarked(dialect, rule, outcome.into(), sessions))
        .collect()
}

/// Converts the author's expectations into the judge's form.
pub fn expectations(config: &Config) -> Expectations {
    let today = today();
    let convert = |known: &Exception| Expectation {
        rule: known.rule.clone(),
        reason: known.reason.clone(),
        scope: Scope {
            example: known.example.clone(),
            kind: known.kind.clone(),
            field: known.field.clone(),
        },
        // ISO dates sort as text.
        expired: known.until.clone().filter(|until| *until < today),
    };
    Expectations {
        xfail: config.xfail.iter().map(convert).collect(),
        waive: config.waive.iter().map(convert).collect(),
        partial: false,
    }
}

/// The sessions that show a failed rule's first finding, and a name for their file.
fn reproducer(
    outcome: &Explained,
    sessions: &[AnySession],
    redactor: &Redactor,
) -> Option<(String, Vec<Transcript>)> {
    if !outcome.verdict.is_failure() {
        return None;
    }
    let needed = behind(sessions, outcome);
    let transcripts: Vec<Transcript> = needed
        .iter()
        .map(|index| redactor.redacted(sessions[*index].reading().transcript()))
        .collect();
    if transcripts.is_empty() {
        return None;
    }
    // The name depends on the cases, not on the time: the same finding has the same name.
    let cases: Vec<&str> = transcripts.iter().map(|t| &t.case.id[..]).collect();
    let digest = blake3::hash(cases.join("\n").as_bytes()).to_hex();
    Some((digest[..4].to_owned(), transcripts))
}
