//! A whole check: runs the suite, judges its sessions, confirms findings, and explains and redacts
//! the outcomes.

use crate::bench::Bench;
use crate::config::{Config, Known, today};
use crate::confirm::{Tries, behind, confirm};
use crate::dialect::Dialect;
use crate::error::RunError;
use crate::knowledge::Knowledge;
use crate::learned::Learned;
use crate::live::Live;
use crate::redact::Redactor;
use crate::run::{Cut, Progress, RunOutput, RunSettings, SETUP, Tell, Unheld, Watch, Watches, run};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use stickler_judge::{
    AnySession, Expectation, Expectations, Level, Outcome, Rule, Scope, Timeline, Verdict,
    conclude, judge, set_aside,
};
use stickler_session::sandbox::{Lack, Tier};
use stickler_transcript::{Relation, Transcript};

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
    pub outcomes: Vec<Outcome>,
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
    /// How many sessions were planned beyond the plain examples; a batch counts as one.
    pub chosen: usize,
    /// Did the user end the run?
    pub interrupted: bool,
    /// Did only a part of the suite run?
    pub partial: bool,
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
pub fn check(checking: &Checking<'_>, progress: &dyn Progress) -> Result<Checked, RunError> {
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
        progress,
        expectations: expectations(config),
        cleared: Mutex::default(),
    };
    let live = Live::of(bench, rules, expectations(config), progress);
    let watches = Watches {
        ends: settings.first_failure.then_some(&watch as &dyn Watch),
        tells: live.as_ref().map(|live| live as &dyn Tell),
    };
    let output = run(&bench, settings, progress, watches)?;
    let redactor = Redactor::informed(dialect, config, &output.sessions);
    let ledgers = judge(rules, &output.sessions);
    // A weaker sandbox shows less.
    let partial =
        settings.is_partial() || host.tier() != Tier::Overlay || output.unheld.why.is_some();
    let expectations = Expectations {
        partial,
        ..expectations(config)
    };
    let mut outcomes = conclude(rules, &ledgers, &output.sessions, &expectations);
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
            stop: progress.stop(),
        },
    )?;
    if let Some(live) = &live {
        live.uphold(&mut outcomes, &output.sessions);
    }
    dialect.remark(&mut outcomes, rules, &output.sessions);
    let interrupted = progress.stop().load(Ordering::Relaxed);
    for (outcome, rule) in outcomes.iter_mut().zip(rules) {
        if interrupted {
            leave_open(outcome, rule);
        } else {
            explain_silence(&bench, outcome, rule, &output, settings.is_partial());
        }
    }
    let mut files = Vec::new();
    for outcome in &mut outcomes {
        if let Some((cases, transcripts)) = reproducer(outcome, &output.sessions, &redactor) {
            let path = reproducers.join(format!("{name}-{}-{cases}.jsonl", outcome.code));
            outcome.reproducer = Some(path.display().to_string());
            outcome.timelines = transcripts.iter().map(Timeline::of).collect();
            files.push((path, transcripts));
        }
        redactor.outcome(outcome);
    }
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
        reproducers: files,
    })
}

/// Ends a run at the first rule of level `must` that fails, also in fresh processes.
struct FirstFailure<'c> {
    checking: &'c Checking<'c>,
    progress: &'c dyn Progress,
    expectations: Expectations,
    /// The rules that seemed to fail and did not.
    cleared: Mutex<BTreeSet<&'static str>>,
}

impl FirstFailure<'_> {
    fn failing(&self, held: &[AnySession]) -> Vec<Outcome> {
        let cleared = self.cleared.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = self.checking.rules.iter().copied();
        let rules: Vec<_> = rules.filter(|rule| !cleared.contains(rule.code)).collect();
        let ledgers = judge(&rules, held);
        let outcomes = conclude(&rules, &ledgers, held, &self.expectations);
        let fails = |one: &Outcome| one.verdict == Verdict::Fail && one.level == Level::Must;
        let fails = |one: &Outcome| fails(one) && one.explained_by.is_none();
        outcomes.into_iter().filter(fails).collect()
    }
}

impl Watch for FirstFailure<'_> {
    fn suspects(&self, held: &[AnySession]) -> bool {
        !self.failing(held).is_empty()
    }

    fn proves(&self, held: &[AnySession]) -> Result<bool, RunError> {
        let mut failing = self.failing(held);
        let Checking { bench, rules, .. } = self.checking;
        confirm(
            bench,
            rules,
            held,
            &[],
            &mut failing,
            Tries {
                jobs: self.checking.settings.jobs,
                until: None,
                stop: self.progress.stop(),
            },
        )?;
        if failing.iter().any(|one| one.verdict == Verdict::Fail) {
            return Ok(true);
        }
        let rules = rules.iter().map(|rule| rule.code);
        let cleared = rules.filter(|code| failing.iter().any(|one| one.code == *code));
        let mut known = self.cleared.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(cleared);
        Ok(false)
    }
}

/// Judges stored sessions. Starts no process.
pub fn judged(
    dialect: &dyn Dialect,
    rules: &[&Rule],
    sessions: &[AnySession],
    expectations: &Expectations,
) -> Vec<Outcome> {
    let ledgers = judge(rules, sessions);
    let mut outcomes = conclude(rules, &ledgers, sessions, expectations);
    set_aside(&mut outcomes);
    dialect.remark(&mut outcomes, rules, sessions);
    outcomes
}

/// Converts the author's expectations into the judge's form.
pub fn expectations(config: &Config) -> Expectations {
    let today = today();
    let convert = |known: &Known| Expectation {
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

/// Withdraws what an incomplete run cannot say.
fn leave_open(outcome: &mut Outcome, rule: &Rule) {
    // The session that shows what differs anyway may be among those that did not run.
    let seems = outcome.verdict == Verdict::Fail && !outcome.confirmed;
    if seems && rule.compares() {
        let what = outcome.message.take().unwrap_or_default();
        outcome.verdict = Verdict::Skipped;
        outcome.findings.clear();
        outcome.message = Some(format!(
            "interrupted before it was tried again; it seemed that: {what}"
        ));
    }
    // A failure that is expected may still be in the part that did not run.
    if matches!(outcome.verdict, Verdict::NotExercised | Verdict::Xpass) {
        outcome.verdict = Verdict::Skipped;
        outcome.message = Some("the run was interrupted".to_owned());
    }
}

/// Adds to an outcome why the rule was not judged.
fn explain_silence(
    bench: &Bench<'_>,
    outcome: &mut Outcome,
    rule: &Rule,
    output: &RunOutput,
    is_partial: bool,
) {
    let Bench { dialect, host, .. } = *bench;
    if outcome.verdict == Verdict::Pass {
        let relations = rule.relations();
        let is_read = |session: &&Vec<Relation>| session.iter().any(|one| relations.contains(one));
        outcome.not_held = output.unheld.each.iter().filter(is_read).count();
    }
    if outcome.verdict != Verdict::NotExercised {
        return;
    }
    let mut left_out = output.left_out.iter();
    let closes = rule.relations().contains(&Relation::PROTECT);
    let skipped = if closes && host.lacking().contains(&Lack::Targets) {
        Some(format!(
            "the {} sandbox has no read-only and full targets",
            host.tier()
        ))
    } else {
        left_out
            .find(|(_, why)| !why.starts_with(SETUP))
            .map(|(_, why)| why.clone())
    };
    if let Some(why) = skipped {
        outcome.verdict = Verdict::Skipped;
        outcome.message = Some(why);
        return;
    }
    if let Some(why) = inapplicable(bench, rule, &output.known) {
        outcome.message = Some(why.to_owned());
        return;
    }
    if let Some(why) = dialect.lacking(&output.sessions) {
        outcome.verdict = Verdict::Skipped;
        outcome.message = Some(why);
        return;
    }
    let unheld = !rule.relations().is_disjoint(&output.unheld.relations);
    let why = match output.unheld.why {
        Some(Cut::Failure) => "the run ended at the first failure",
        Some(Cut::Time) if unheld => {
            outcome.unheld = true;
            "time: its sessions did not run"
        }
        Some(Cut::Sessions) if unheld => {
            outcome.unheld = true;
            "--sessions: its sessions did not run"
        }
        _ if is_partial => "no session of this part of the suite tests this",
        _ => match rule.silent {
            Some(why) => why,
            None if judges_held(rule, &output.sessions) => dialect.vocabulary().never,
            None => "no session tests this",
        },
    };
    outcome.message = Some(why.to_owned());
}

/// Why a rule cannot judge anything of this subject and description, if it cannot.
fn inapplicable(bench: &Bench<'_>, rule: &Rule, known: &Learned) -> Option<&'static str> {
    if !known.common.usable {
        return Some("no request was answered");
    }
    let mut needs = rule.needs.iter();
    let missing = needs.find(|need| !bench.dialect.has(need, bench.config, known));
    missing.map(|need| need.lacking)
}

/// Does a rule judge some of these sessions each by itself? Then it found nothing to judge in them.
fn judges_held(rule: &Rule, sessions: &[AnySession]) -> bool {
    let relations = rule.relations();
    let mut groups = sessions.iter().flat_map(|one| &one.case().groups);
    !rule.compares()
        && (relations.is_empty() || groups.any(|group| relations.contains(&group.relation)))
}

/// The sessions that show a failed rule's first finding, and a name for their file.
fn reproducer(
    outcome: &Outcome,
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
