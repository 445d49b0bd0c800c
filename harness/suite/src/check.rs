//! A whole check: the suite is run, its sessions are judged, findings are confirmed, and what is
//! said of them is explained and redacted.

use crate::config::{Config, Known, today};
use crate::confirm::{behind, confirm};
use crate::dialect::Dialect;
use crate::error::RunError;
use crate::knowledge::Knowledge;
use crate::redact::Redactor;
use crate::run::{Progress, RunOutput, RunSettings, SETUP, run};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use stickler_judge::{
    Expectation, Expectations, Outcome, Rule, Scope, Verdict, View, conclude, judge,
};
use stickler_session::sandbox::{Host, Lack};
use stickler_transcript::{Bytes, Relation, Transcript};

/// What is checked, and how.
pub struct Checking<'c, D: Dialect> {
    /// What the sandboxes of this machine can do.
    pub host: &'c Host,
    /// The subject, described.
    pub config: &'c Config,
    /// Its command line.
    pub argv: &'c [Bytes],
    /// How the suite is run.
    pub settings: &'c RunSettings,
    /// The rules that judge.
    pub rules: &'c [&'static Rule<D::Session>],
    /// The folder for files that reproduce findings.
    pub reproducers: &'c Path,
}

/// A check, finished.
pub struct Checked<S> {
    /// One outcome a rule, in the order of the rules, without secrets. The path of a reproducer
    /// is in it.
    pub outcomes: Vec<Outcome>,
    /// All sessions, in the order of the plan, as they were: with secrets.
    pub sessions: Vec<S>,
    /// What was learned of the subject.
    pub knowledge: Knowledge,
    /// Cases left out, and why.
    pub left_out: Vec<(String, String)>,
    /// Cases that were not begun or not brought to their end, since somebody ended the run.
    pub not_held: usize,
    /// Somebody ended the run.
    pub interrupted: bool,
    /// The files to write, with the sessions that they hold, without secrets.
    pub reproducers: Vec<(PathBuf, Vec<Transcript>)>,
}

impl<S: View> Checked<S> {
    /// Exchanges in all sessions.
    pub fn exchanges(&self) -> usize {
        let sessions = self.sessions.iter();
        sessions.map(|one| one.reading().exchanges.len()).sum()
    }
}

/// Checks a subject.
///
/// # Errors
/// As [`run`].
pub fn check<D: Dialect>(
    dialect: &D,
    checking: &Checking<'_, D>,
    progress: &dyn Progress,
) -> Result<Checked<D::Session>, RunError> {
    let Checking {
        host,
        config,
        argv,
        settings,
        rules,
        reproducers,
    } = *checking;
    let output = run(dialect, host, config, argv, settings, progress)?;
    let ledgers = judge(rules, &output.sessions);
    let expectations = expectations(config);
    let mut outcomes = conclude(rules, &ledgers, &output.sessions, &expectations);
    confirm(
        dialect,
        host,
        rules,
        &output.sessions,
        &output.hangs,
        &mut outcomes,
        progress,
    )?;
    dialect.remark(&mut outcomes, rules, &output.sessions);
    let interrupted = progress.stop().load(Ordering::Relaxed);
    for (outcome, rule) in outcomes.iter_mut().zip(rules) {
        if interrupted {
            leave_open(outcome);
        } else {
            explain_silence(dialect, outcome, rule, &output, config, host);
        }
    }
    let redactor = Redactor::of(config);
    let mut files = Vec::new();
    for outcome in &mut outcomes {
        if let Some((path, transcripts)) = reproducer(outcome, &output.sessions, &redactor) {
            let path = reproducers.join(path);
            outcome.reproducer = Some(path.display().to_string());
            files.push((path, transcripts));
        }
        redactor.outcome(outcome);
    }
    Ok(Checked {
        outcomes,
        sessions: output.sessions,
        knowledge: output.knowledge,
        left_out: output.left_out,
        not_held: output.not_held,
        interrupted,
        reproducers: files,
    })
}

/// Judges sessions that were held before. Nothing is started.
pub fn judged<D: Dialect>(
    dialect: &D,
    rules: &[&Rule<D::Session>],
    sessions: &[D::Session],
    expectations: &Expectations,
) -> Vec<Outcome> {
    let ledgers = judge(rules, sessions);
    let mut outcomes = conclude(rules, &ledgers, sessions, expectations);
    dialect.remark(&mut outcomes, rules, sessions);
    outcomes
}

/// What the author declared, as the judge takes it.
pub fn expectations(config: &Config) -> Expectations {
    let today = today();
    let convert = |known: &Known| Expectation {
        rule: known.rule.clone(),
        reason: known.reason.clone(),
        scope: Scope {
            example: known.example.clone(),
            field: known.field.clone(),
        },
        // ISO dates sort as text.
        expired: known.until.as_ref().is_some_and(|until| *until < today),
    };
    Expectations {
        xfail: config.xfail.iter().map(convert).collect(),
        waive: config.waive.iter().map(convert).collect(),
    }
}

/// What a part of a run says nothing about.
fn leave_open(outcome: &mut Outcome) {
    // What was expected to fail may be yet to come.
    if matches!(outcome.verdict, Verdict::NotExercised | Verdict::Xpass) {
        outcome.verdict = Verdict::Skipped;
        outcome.message = Some("the run was interrupted".to_owned());
    }
}

/// Says why a rule was not judged.
fn explain_silence<D: Dialect>(
    dialect: &D,
    outcome: &mut Outcome,
    rule: &Rule<D::Session>,
    output: &RunOutput<D::Session>,
    config: &Config,
    host: &Host,
) {
    if outcome.verdict != Verdict::NotExercised {
        return;
    }
    let mut left_out = output.left_out.iter();
    let closes = rule.relations().contains(&Relation::Protect);
    let skipped = if closes && host.lacking().contains(&Lack::Targets) {
        Some(format!(
            "the {} sandbox has no read-only and full targets",
            host.tier()
        ))
    } else {
        left_out
            .find(|(_, why)| why != SETUP)
            .map(|(_, why)| why.clone())
    };
    outcome.message = Some(match skipped {
        Some(why) => {
            outcome.verdict = Verdict::Skipped;
            why
        }
        None => dialect.not_exercised(&outcome.code, config, &output.knowledge),
    });
}

/// The sessions that show the first finding of a failed rule, and a name for their file.
fn reproducer(
    outcome: &Outcome,
    sessions: &[impl View],
    redactor: &Redactor,
) -> Option<(PathBuf, Vec<Transcript>)> {
    if !outcome.verdict.is_failure() {
        return None;
    }
    let needed = behind(sessions, outcome);
    let transcripts: Vec<Transcript> = needed
        .iter()
        .map(|index| redactor.redacted(&sessions[*index].reading().transcript))
        .collect();
    if transcripts.is_empty() {
        return None;
    }
    // Named by what was done, not by when: the same finding has the same name.
    let cases: Vec<&str> = transcripts.iter().map(|t| &t.case.id[..]).collect();
    let digest = blake3::hash(cases.join("\n").as_bytes()).to_hex();
    let name = format!("{}-{}.jsonl", outcome.code, &digest[..4]);
    Some((name.into(), transcripts))
}
