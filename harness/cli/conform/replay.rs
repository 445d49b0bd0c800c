//! `stickler replay` with the reproducer of a situation: the agent plays it again.

use super::outcomes_of;
use super::played::{Run, sessions};
use crate::args::ReplayArgs;
use crate::transcripts;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::sync::Arc;
use stickler_conform::{Ran, Stored, Table, Unplayed, differing, situations};
use stickler_face::args::ListFormat;
use stickler_face::conform::{Conforming, cannot_run};
use stickler_face::{Dialects, Failure, subject, terminal};
use stickler_judge::{AnySession, Exit, Reported};
use stickler_suite::config::Config;
use stickler_transcript::Transcript;

/// Plays the situations of a reproducer again, if these are some.
///
/// # Errors
/// If the agent cannot be run.
pub fn run(
    dialects: &Dialects,
    args: &ReplayArgs,
    dialect: &str,
    stored: &[Transcript],
) -> Result<Option<Exit>, Failure> {
    let all: Vec<Stored> = stored
        .iter()
        .filter_map(|one| Stored::of(&one.case))
        .collect();
    let Some(first) = all.first() else {
        return Ok(None);
    };
    let chosen = dialects.named(dialect)?;
    let face = chosen.face;
    let mut lines: Vec<Value> = Vec::new();
    for one in &all {
        if !lines.contains(&one.situation) {
            lines.push(one.situation.clone());
        }
    }
    let host = subject::host(face.dialect(), &args.sandbox, &Config::default())?;
    // Another agent may stand in for the stored one.
    let command: Vec<OsString> = match &args.module {
        Some(path) => vec![path.clone().into()],
        None => first.agent.iter().map(OsString::from).collect(),
    };
    // Both what is recorded of these situations and those of the user's.
    let whole = super::table(
        &chosen,
        &Conforming {
            command: &command,
            host: &host,
            more: &[],
            only: None,
            stop: Arc::default(),
        },
    )?;
    let own = super::table(
        &chosen,
        &Conforming {
            command: &command,
            host: &host,
            more: &[],
            only: Some(&lines),
            stop: Arc::default(),
        },
    )?;
    let known = |table: &dyn Table| -> Vec<usize> {
        let is_named = |at: &usize| lines.iter().any(|line| line["name"] == *table.name(*at));
        let is_same = |at: &usize| lines.contains(&table.line(*at));
        (0..table.len())
            .filter(|at| is_named(at) && is_same(at))
            .collect()
    };
    let recorded = known(&*whole);
    let (table, picked) = match recorded.len() == lines.len() {
        true => (&whole, recorded),
        false => (&own, (0..own.len()).collect()),
    };
    let failed = |error: anyhow::Error| cannot_run(&error);
    let ran = table.play(&picked).map_err(failed)?;
    let ran: Ran = picked.iter().copied().zip(ran).collect();
    let release = first.release.as_deref();
    let differ = match release {
        Some(release) => differing(&**table, &ran, release).map_err(failed)?,
        None => Vec::new(),
    };
    let name = transcripts::name(&args.file);
    let rules = face.dialect().rules_for_agents();
    let before: Vec<AnySession> = stored
        .iter()
        .map(|one| face.dialect().read(one.clone()))
        .collect();
    let before = outcomes_of(face.dialect(), &rules, &before);
    let now_sessions = sessions(
        face,
        &Run {
            ran: ran.clone(),
            standing: None,
            differing: Vec::new(),
            later: Vec::new(),
            earlier: Vec::new(),
        },
        &lines,
    );
    let mut now = outcomes_of(face.dialect(), &rules, &now_sessions);
    now.extend(situations(
        &**table,
        &picked,
        &ran,
        release,
        &differ,
        Unplayed::Interrupted,
    ));
    let failing: Vec<&Reported> = now.iter().filter(|one| one.verdict.is_failure()).collect();
    let fixed: Vec<&Reported> = before
        .iter()
        .filter(|one| one.verdict.is_failure())
        .filter(|one| !failing.iter().any(|other| other.code == one.code))
        .collect();
    match args.format {
        ListFormat::Pretty => pretty(args, &name, &table.agent(), &failing, &fixed)?,
        ListFormat::Json => list(&name, &table.agent(), &failing, &fixed)?,
    }
    Ok(Some(match failing.is_empty() {
        true => Exit::Success,
        false => Exit::Findings,
    }))
}

fn pretty(
    args: &ReplayArgs,
    name: &str,
    agent: &str,
    failing: &[&Reported],
    fixed: &[&Reported],
) -> Result<(), Failure> {
    let mut out: Vec<u8> = Vec::new();
    let mut line = |text: String| out.extend(format!("{text}\n").bytes());
    line(format!("{name} · played again · {agent}"));
    for one in fixed {
        line(format!("\nfixed  {}  {}", one.code, one.title));
    }
    if failing.is_empty() {
        line("\nnothing fails".to_owned());
    }
    let options = stickler_report::Options {
        width: terminal::width(),
        color: args.color.on_stdout(),
        verbose: args.verbose,
        ..stickler_report::Options::default()
    };
    for one in failing {
        out.push(b'\n');
        stickler_report::render_outcome(one, true, &options, &mut out)
            .map_err(|error| Failure::harness(stickler_face::failure::chain(&error)))?;
    }
    terminal::print(&out)
}

fn list(
    name: &str,
    agent: &str,
    failing: &[&Reported],
    fixed: &[&Reported],
) -> Result<(), Failure> {
    let mut out = String::new();
    let mut add = |one: &Reported, status: &str| {
        let line = json!({
            "event": "rule",
            "rule": one.code,
            "status": status,
            "level": one.level.name(),
            "title": one.title,
            "message": one.message,
        });
        let _ = writeln!(out, "{line}");
    };
    failing.iter().for_each(|one| add(one, "still_failing"));
    fixed.iter().for_each(|one| add(one, "fixed"));
    let line = json!({
        "event": "summary",
        "file": name,
        "subject": agent,
        "still_failing": failing.len(),
        "fixed": fixed.len(),
    });
    let _ = writeln!(out, "{line}");
    terminal::print(out)
}
