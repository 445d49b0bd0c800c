//! `stickler check`: the conformance suite.

use crate::args::{CheckArgs, ReportArgs, Speaker};
use crate::failure::{Done, Failure};
use crate::interrupt::Interrupt;
use crate::reproducer;
use crate::subject;
use crate::terminal::{self, Bar};
use anyhow::Context;
use cfengine_protocol::Session;
use cfengine_protocol::phase;
use cfengine_protocol::rules::RULES;
use cfengine_protocol::wire::Protocol;
use cfengine_suite::PromiseModules;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use stickler_judge::{
    Expectation, Expectations, Outcome, Report, Rule, Scope, Verdict, conclude, judge,
};
use stickler_report::{Format, Options, count, render};
use stickler_session::sandbox::{Host, Lack, Tier};
use stickler_suite::config::{Config, Known};
use stickler_suite::{
    Dialect as _, Effort, Redactor, RunOutput, RunSettings, Speech, confirm, run as run_suite,
};
use stickler_transcript::{Event, Fate, Mode, Phase};

pub fn run(args: &CheckArgs) -> Done {
    let began = Instant::now();
    // The suite is the agent here: rules for agents are for others.
    let rules = selected(&args.report, &RULES.iter().collect::<Vec<_>>())?;
    let outputs = outputs(&args.report)?;
    let settings = settings(args, &rules)?;
    let config = subject::describe(&args.subject)?;
    if args.baseline {
        crate::baseline::file(&config)?;
    }
    let dialect = PromiseModules::default();
    let argv = subject::argv(&config)?;
    let host = subject::host(&args.sandbox, &config)?;
    let interrupt = Interrupt::catch()?;
    let bar = Bar::of(interrupt.clone());
    let output = run_suite(&dialect, &host, &config, &argv, &settings, &bar)?;
    if output.sessions.is_empty() && !interrupt.came() {
        return Err(Failure::usage("this shard holds no case; use fewer shards"));
    }
    let redactor = Redactor::of(&config);
    let ledgers = judge(&rules, &output.sessions);
    let expectations = expectations(&config);
    let mut outcomes = conclude(&rules, &ledgers, &output.sessions, &expectations).outcomes;
    confirm(
        &dialect,
        &host,
        &rules,
        &output.sessions,
        &output.hangs,
        &mut outcomes,
        &bar,
    )?;
    drop(bar);
    let interrupted = interrupt.came();
    crate::deployed::tell(&mut outcomes, &rules, &output.sessions);
    for outcome in &mut outcomes {
        if interrupted {
            leave_open(outcome);
        } else {
            explain_silence(&dialect, outcome, &output, &config, &host);
        }
    }
    reproducer::write_all(&mut outcomes, &output.sessions, &redactor)?;
    if args.keep {
        let folder = reproducer::keep(&output.sessions, &redactor)?;
        terminal::note(&format!("all sessions are kept in {}", folder.display()));
    }
    if args.baseline && interrupted {
        terminal::note("no baseline is written of a run that was interrupted");
    } else if args.baseline {
        return crate::baseline::write(&config, &outcomes, &redactor);
    }
    let mut report = report(args, &config, &host, &output, outcomes, &redactor, began);
    report.interrupted = interrupted;
    if interrupted {
        report.hints.extend(untried(&report.outcomes));
    }
    show(&report, &args.report, &outputs)?;
    // Nothing of the sandboxes may stay.
    drop(host);
    interrupt.obey();
    Ok(report.exit())
}

/// The rules of these that the filters leave.
///
/// # Errors
/// Where that is none.
pub fn selected(
    args: &ReportArgs,
    rules: &[&'static Rule<Session>],
) -> Result<Vec<&'static Rule<Session>>, Failure> {
    let mut selected = match &args.select[..] {
        [] => rules.to_vec(),
        prefixes => matching(rules, prefixes)?,
    };
    let ignored = matching(rules, &args.ignore)?;
    selected.retain(|rule| ignored.iter().all(|other| other.code != rule.code));
    if selected.is_empty() {
        return Err(Failure::usage(
            "--select and --ignore together leave no rule; `stickler rules` lists them",
        ));
    }
    Ok(selected)
}

/// The rules whose codes begin with one of these prefixes.
fn matching<'r>(
    rules: &[&'r Rule<Session>],
    prefixes: &[String],
) -> Result<Vec<&'r Rule<Session>>, Failure> {
    let prefixes: Vec<String> = prefixes.iter().map(|it| it.to_ascii_uppercase()).collect();
    let begins = |rule: &Rule<Session>, prefix: &String| rule.code.starts_with(&prefix[..]);
    for prefix in &prefixes {
        if !rules.iter().any(|rule| begins(rule, prefix)) {
            return Err(Failure::usage(format!(
                "no rule begins with \"{prefix}\"; `stickler rules` lists them"
            )));
        }
    }
    let matches = |rule: &&&Rule<Session>| prefixes.iter().any(|prefix| begins(rule, prefix));
    Ok(rules.iter().filter(matches).copied().collect())
}

/// `--output FORMAT=FILE`
///
/// # Errors
/// Where one is malformed.
pub fn outputs(args: &ReportArgs) -> Result<Vec<(Format, PathBuf)>, Failure> {
    args.outputs
        .iter()
        .map(|output| {
            let (format, file) = output
                .split_once('=')
                .ok_or_else(|| Failure::usage(format!("--output {output}: write FORMAT=FILE")))?;
            let format = format
                .parse()
                .map_err(|error| Failure::usage(format!("--output {output}: {error}")))?;
            Ok((format, PathBuf::from(file)))
        })
        .collect()
}

fn settings(args: &CheckArgs, rules: &[&Rule<Session>]) -> Result<RunSettings, Failure> {
    let shard = args.shard.as_deref().map(parse_shard).transpose()?;
    let jobs = match args.jobs {
        Some(0) => return Err(Failure::usage("--jobs 0: at least one session has to run")),
        Some(jobs) => jobs,
        None => std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
    };
    let all: Vec<&Rule<Session>> = RULES.iter().collect();
    let exercised = match &args.sessions_for[..] {
        // Else a rule may be broken where nobody looks for that.
        [] if args.report.select.is_empty() => None,
        [] => Some(rules.to_vec()),
        prefixes => Some(matching(&all, prefixes)?),
    };
    let relations = exercised.map(|rules| {
        let relations = rules.iter().flat_map(|rule| rule.relations());
        relations.collect()
    });
    Ok(RunSettings {
        jobs,
        seed: args.seed,
        effort: match (args.quick, args.deep) {
            (true, _) => Effort::Quick,
            (_, true) => Effort::Deep,
            _ => Effort::Normal,
        },
        speech: match args.speaker {
            Speaker::Agent => Speech::Agent,
            Speaker::Spec => Speech::Spec,
        },
        shard,
        relations,
    })
}

fn parse_shard(text: &str) -> Result<(usize, usize), Failure> {
    let parsed = text
        .split_once('/')
        .and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match parsed {
        Some((k, n)) if 1 <= k && k <= n => Ok((k, n)),
        _ => Err(Failure::usage(format!(
            "--shard {text}: write K/N with K from 1 to N, such as 1/4"
        ))),
    }
}

/// What the author declared, as the judge takes it.
pub fn expectations(config: &Config) -> Expectations {
    let today = crate::date::today();
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

/// Says how many failures of a part of a run nobody has looked at twice.
fn untried(outcomes: &[Outcome]) -> Option<String> {
    let failed = outcomes.iter().filter(|one| one.verdict == Verdict::Fail);
    let all = failed.clone().count();
    let untried = failed.filter(|one| !one.confirmed).count();
    (untried > 0)
        .then(|| format!("{untried} of {all} failed rules were not tried again in a fresh process"))
}

/// Says why a rule was not judged.
fn explain_silence(
    dialect: &PromiseModules,
    outcome: &mut Outcome,
    output: &RunOutput<Session>,
    config: &Config,
    host: &Host,
) {
    if outcome.verdict != Verdict::NotExercised {
        return;
    }
    if outcome.code == "PM807" && host.lacking().contains(&Lack::Targets) {
        outcome.verdict = Verdict::Skipped;
        outcome.message = Some(format!(
            "the {} sandbox has no read-only and full targets",
            host.tier()
        ));
        return;
    }
    if let Some((_, reason)) = output
        .left_out
        .iter()
        .find(|(_, why)| !why.contains("setup"))
    {
        outcome.verdict = Verdict::Skipped;
        outcome.message = Some(reason.clone());
        return;
    }
    outcome.message = Some(dialect.not_exercised(&outcome.code, config, &output.knowledge));
}

fn report(
    args: &CheckArgs,
    config: &Config,
    host: &Host,
    output: &RunOutput<Session>,
    mut outcomes: Vec<Outcome>,
    redactor: &Redactor,
    began: Instant,
) -> Report {
    for outcome in &mut outcomes {
        if let Some(message) = &mut outcome.message {
            *message = redactor.text(message);
        }
        for found in &mut outcome.findings {
            found.message = redactor.text(&found.message);
            found.agent = found.agent.as_deref().map(|told| redactor.text(told));
            for line in &mut found.excerpt {
                line.text = redactor.text(&line.text);
            }
        }
    }
    Report {
        subject: output
            .sessions
            .first()
            .map(|session| session.case().subject.name.clone())
            .unwrap_or_default(),
        location: location(config).unwrap_or_default(),
        facts: facts(config, host, output),
        exchanges: output
            .sessions
            .iter()
            .map(|session| session.exchanges.len())
            .sum(),
        sessions: output.sessions.len(),
        seconds: began.elapsed().as_secs_f64(),
        strict: args.report.strict,
        hints: hints(config, host, output)
            .into_iter()
            .chain(slow(output, began, args))
            .collect(),
        seed: args.seed,
        interrupted: false,
        outcomes,
    }
}

/// The module's path as the user would write it.
fn location(config: &Config) -> Option<String> {
    let path = config.dir.join(config.subject.path.as_ref()?);
    let here = std::env::current_dir().unwrap_or_default();
    Some(
        path.strip_prefix(here)
            .unwrap_or(&path)
            .display()
            .to_string(),
    )
}

fn facts(config: &Config, host: &Host, output: &RunOutput<Session>) -> Vec<String> {
    let knowledge = &output.knowledge;
    let mut flags: Vec<&str> = match cfengine_suite::protocol(knowledge) {
        Some(Protocol::Json) => vec!["json_based"],
        Some(Protocol::Line) => vec!["line_based"],
        None => vec!["no usable header"],
    };
    if knowledge.dry {
        flags.push("action_policy");
    }
    let mut facts = vec![format!("promise-module ({})", flags.join(", "))];
    if let Some(interpreter) = &config.subject.interpreter {
        let name = interpreter.rsplit('/').next().unwrap_or(interpreter);
        facts.push(name.to_owned());
    }
    facts.push(match config.examples.len() {
        0 => "no example".to_owned(),
        1 => "1 example".to_owned(),
        n => format!("{n} examples"),
    });
    facts.extend(in_policies(output));
    facts.push(match host.tier() {
        Tier::None => "no sandbox".to_owned(),
        tier => format!("{tier} sandbox"),
    });
    facts
}

/// What the reference agent made of the promises that it sent, but for dry runs.
fn in_policies(output: &RunOutput<Session>) -> Option<String> {
    let sessions = output.sessions.iter().filter(|session| {
        let agent = session.case().agent.as_ref();
        agent.is_some_and(|agent| agent.mode == Mode::Normal)
    });
    let events = sessions.flat_map(|session| &session.transcript.events);
    let count = |fate| {
        let of = |event: &&Event| matches!(event, Event::Outcome(outcome) if outcome.outcome == fate && !outcome.unresolved);
        events.clone().filter(of).count()
    };
    let words: Vec<String> = [
        (count(Fate::Changed), "repaired"),
        (count(Fate::Unchanged), "kept"),
        (count(Fate::Failed), "not kept"),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    (!words.is_empty()).then(|| format!("in policies {}", words.join(", ")))
}

fn hints(config: &Config, host: &Host, output: &RunOutput<Session>) -> Vec<String> {
    let mut hints = Vec::new();
    if config.examples.is_empty() {
        let mut hint = match (&config.file, location(config)) {
            (Some(file), _) => format!(
                "nothing was evaluated, since there is no example: add an [[example]] to {}",
                file.display()
            ),
            (None, Some(module)) => format!(
                "nothing was evaluated, since there is no example: `stickler init {module}` writes one to fill in"
            ),
            (None, None) => {
                "nothing was evaluated, since there is no example: give --promiser and --attribute"
                    .to_owned()
            }
        };
        let names = crate::harvest::attribute_names(config, &output.sessions);
        if !names.is_empty() {
            hint.push_str(&format!(
                "; it found these attribute names: {}",
                names.join(", ")
            ));
        }
        hints.push(hint);
    }
    if let Some(reason) = host.fallback_reason() {
        hints.push(format!("sandbox: {reason}"));
    }
    if host.tier() == Tier::None {
        hints.push(
            "without a sandbox the module works on this machine; only your examples were evaluated"
                .to_owned(),
        );
    }
    if output.not_held > 0 {
        hints.push(format!(
            "interrupted with {} still to come: rules that passed so far may fail in what is left",
            count(output.not_held, "case")
        ));
    }
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, why) in &output.left_out {
        *left_out.entry(why).or_default() += 1;
    }
    hints.extend(
        left_out
            .into_iter()
            .map(|(why, number)| format!("{} left out: the module {why}", count(number, "case"))),
    );
    hints
}

/// What makes a long run long, and what would shorten it.
fn slow(output: &RunOutput<Session>, began: Instant, args: &CheckArgs) -> Option<String> {
    const LONG: Duration = Duration::from_secs(60);
    if args.quick || began.elapsed() < LONG {
        return None;
    }
    let exchanges = || {
        output
            .sessions
            .iter()
            .flat_map(|session| &session.exchanges)
    };
    let of = |phase: Phase| {
        let times = exchanges().filter(|one| one.phase == phase);
        let times: Vec<u64> = times.filter_map(|one| one.took()).collect();
        (times.iter().sum::<u64>(), times.len())
    };
    let phases = [(phase::HEADER, "start"), (phase::EVALUATE, "evaluation")];
    let taken = phases.map(|(phase, words)| (of(phase), words));
    let ((us, number), words) = taken.into_iter().max()?;
    let seconds = us as f64 / 1e6 / number.max(1) as f64;
    Some(format!(
        "each {words} of the module takes {seconds:.2} s on average: --quick judges each rule by its cheapest cases"
    ))
}

/// Prints a report and writes its files.
///
/// # Errors
/// Where that fails.
pub fn show(
    report: &Report,
    args: &ReportArgs,
    outputs: &[(Format, PathBuf)],
) -> Result<(), Failure> {
    let options = Options {
        width: terminal::width(),
        color: args.color.on_stdout(),
        verbose: args.verbose,
        ..Options::default()
    };
    for (format, file) in outputs {
        let mut bytes = Vec::new();
        let plain = Options {
            color: false,
            ..options.clone()
        };
        render(report, *format, &plain, &mut bytes)
            .map_err(|error| Failure::harness(crate::failure::chain(&error)))?;
        std::fs::write(file, bytes)
            .with_context(|| format!("writing {}", file.display()))
            .map_err(|error| Failure::usage(format!("{error:#}")))?;
    }
    let mut bytes = Vec::new();
    render(report, args.format, &options, &mut bytes)
        .map_err(|error| Failure::harness(crate::failure::chain(&error)))?;
    terminal::print(&bytes)
}
