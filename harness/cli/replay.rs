//! `stickler replay`: runs the sessions of a reproducer again, and says how its findings changed.

mod moved;

use crate::args::ReplayArgs;
use crate::bar::Bar;
use crate::transcripts;
use anstyle::{AnsiColor, Style};
use moved::path;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use stickler_face::args::{ListFormat, SandboxArgs};
use stickler_face::{CONFIG, Dialects, Done, Face, Failure, Spinner, subject, terminal};
use stickler_judge::{AnySession, Exit};
use stickler_report::Options;
use stickler_session::sandbox::{Host, Tier};
use stickler_suite::config::{self, Config};
use stickler_suite::{
    Became, Bench, Change, Dialect, Difference, Preparing, Redactor, Rerun, SCRATCH, Vocabulary,
    planned, rerun,
};
use stickler_transcript::{Bytes, Case, Step, Transcript};

/// The mask for secrets in stored transcripts.
const MASK: &[u8] = stickler_suite::MASK.as_bytes();
/// How many lines of a difference are shown without `--verbose`.
const SHOWN: usize = 40;

/// Runs the command.
pub fn run(dialects: &Dialects, args: &ReplayArgs) -> Done {
    let stored = transcripts::read(&args.file)?;
    let dialect = transcripts::dialect(dialects, &stored)?;
    if let Some(done) = crate::conform::replay::run(dialects, args, &dialect, &stored)? {
        return Ok(done);
    }
    replay(dialects.named(&dialect)?.face, args, stored)
}

fn replay(face: &dyn Face, args: &ReplayArgs, stored: Vec<Transcript>) -> Done {
    let dialect = face.dialect();
    let name = transcripts::name(&args.file);
    let words = face.vocabulary();
    let stored: Vec<AnySession> = stored.into_iter().map(|one| dialect.read(one)).collect();
    // For a recorded session, the plan sends what the agent sent, because only the module is
    // judged.
    let mut cases: Vec<Case> = stored
        .iter()
        .map(|session| planned(session, words).unwrap_or_else(|| session.case().clone()))
        .collect();
    runnable(&name, &cases)?;
    if let Some(path) = &args.module {
        moved::replace(face, &name, &mut cases, path)?;
    }
    renew(dialect, &mut cases)?;
    present(face, &name, &cases)?;
    let config = configuration(words, &cases);
    let host = host(dialect, args, &cases, &config)?;
    for case in &mut cases {
        dialect.unmask(&config, case);
    }
    let redactor = Redactor::informed(dialect, &config, &stored);
    let rules = dialect.rules();
    let mut about = rules.iter().map(|rule| rule.code);
    let about = about.find(|code| is_named(&name, code));
    let bench = Bench {
        dialect,
        host: &host,
        config: &config,
        argv: &[],
    };
    let mut rerun = rerun(&bench, about, &stored, &cases, &redactor, &Bar::new())?;
    // A reproducer is named for the rule that it is about. What others say of a part of the
    // sessions is of interest only if they fail since.
    rerun.changes.retain(|one| match about {
        Some(code) => one.stored.code == code || one.became == Became::New && !one.is_advice(),
        None => !one.is_advice(),
    });
    rerun
        .changes
        .sort_by_key(|change| !is_named(&name, &change.stored.code));
    let empty = stored.iter().all(|one| one.reading().length() == 0);
    let notes = notes(&cases, &host, empty);
    match args.format {
        ListFormat::Pretty => pretty(args, &name, &module(&cases), &host, &rerun, &notes)?,
        ListFormat::Json => json(&name, &module(&cases), &rerun, &notes)?,
    }
    let failing = rerun.changes.iter().any(Change::fails);
    Ok(if failing {
        Exit::Findings
    } else {
        Exit::Success
    })
}

/// Does a file's name have this rule's code, as in `module.py-PM804-088c.jsonl`?
fn is_named(file: &str, code: &str) -> bool {
    file.split(['-', '.']).any(|word| word == code)
}

/// How a rule's verdict changed, in words.
fn said(change: &Change) -> &'static str {
    match change.became {
        Became::StillFailing if change.is_advice() => "still advice",
        Became::StillFailing => "still failing",
        Became::New => "changed",
        Became::Fixed => "fixed",
        Became::NotExercised => "not exercised",
    }
}

/// Checks that every session has a plan.
fn runnable(name: &str, cases: &[Case]) -> Result<(), Failure> {
    match cases.iter().find(|case| case.plan.is_none()) {
        None => Ok(()),
        Some(case) => Err(Failure::usage(format!(
            "{name}: the session \"{}\" does not say which command was started, so it cannot run again\n  \
             stickler judge {name}   judges the recording",
            case.id
        ))),
    }
}

/// Makes subjects ready that have to be built.
fn renew(dialect: &dyn Dialect, cases: &mut [Case]) -> Result<(), Failure> {
    let spinner = Spinner::default();
    let preparing = Preparing {
        say: &|what| spinner.say(what),
        ..Preparing::quietly()
    };
    // Many sessions start the same program.
    let mut known: BTreeMap<Vec<Bytes>, Option<Vec<Bytes>>> = BTreeMap::new();
    let plans = cases.iter_mut().filter_map(|case| case.plan.as_mut());
    for command in plans.flat_map(|plan| &mut plan.commands) {
        if !known.contains_key(&command.argv) {
            let renewed = dialect.renewed(&command.argv, &preparing)?;
            known.insert(command.argv.clone(), renewed);
        }
        if let Some(Some(renewed)) = known.get(&command.argv) {
            command.argv.clone_from(renewed);
        }
    }
    Ok(())
}

/// Checks that the module and its interpreter still exist at their paths.
fn present(face: &dyn Face, name: &str, cases: &[Case]) -> Result<(), Failure> {
    for case in cases {
        let Some(command) = case.plan.as_ref().and_then(|plan| plan.commands.first()) else {
            return Err(Failure::usage(format!(
                "{name}: the plan of the session \"{}\" names no command to start",
                case.id
            )));
        };
        for (index, word) in command.argv.iter().enumerate() {
            let path = path(word);
            let module = moved::is_module(case, &path);
            let own = path.starts_with(SCRATCH);
            if path.is_absolute() && !own && (index == 0 || module) && !path.exists() {
                let subject = face.vocabulary().subject;
                let (what, todo) = match module {
                    true => (subject, moved::advice(face, name, cases, &path)),
                    false => ("interpreter", "install it".to_owned()),
                };
                return Err(Failure {
                    exit: Exit::NoSession,
                    message: format!(
                        "{}: the {what} of {name} does not exist here\n  {todo}",
                        path.display()
                    ),
                });
            }
        }
    }
    Ok(())
}

/// The path of the module that runs, or the name of its program.
fn module(cases: &[Case]) -> String {
    let command = |case: &Case| Some(case.plan.as_ref()?.commands.first()?.argv.clone());
    let Some((case, argv)) = cases.iter().find_map(|case| Some((case, command(case)?))) else {
        return String::new();
    };
    let mut paths = argv.iter().map(path);
    let module = paths.find(|path| moved::is_module(case, path));
    module.map_or_else(
        || case.subject.name.clone(),
        |module| module.display().to_string(),
    )
}

/// The `stickler.toml` of this folder, if it describes the same module: it may expose paths to the
/// sandbox.
fn configuration(words: &Vocabulary, cases: &[Case]) -> Config {
    let fallback = || Config {
        dir: PathBuf::from("."),
        ..Config::default()
    };
    let file = Path::new(CONFIG);
    let Ok(config) = config::from_file(file, words) else {
        return fallback();
    };
    let Some(module) = config
        .subject
        .path
        .as_ref()
        .and_then(|path| std::fs::canonicalize(config.dir.join(path)).ok())
    else {
        return fallback();
    };
    let same = cases.iter().all(|case| {
        case.plan
            .iter()
            .flat_map(|plan| plan.commands.first())
            .flat_map(|command| &command.argv)
            .any(|word| path(word) == module)
    });
    if same { config } else { fallback() }
}

/// The requested tier, or the tier of the stored sessions.
fn host(
    dialect: &dyn Dialect,
    args: &ReplayArgs,
    cases: &[Case],
    config: &Config,
) -> Result<Host, Failure> {
    if args.sandbox.sandbox.is_some() {
        return subject::host(dialect, &args.sandbox, config);
    }
    let stored = cases
        .first()
        .and_then(|case| case.tier.parse::<Tier>().ok());
    if let Some(tier) = stored.filter(|tier| *tier != Tier::None) {
        let same = SandboxArgs {
            sandbox: Some(tier.to_string()),
        };
        if let Ok(host) = subject::host(dialect, &same, config) {
            return Ok(host);
        }
    }
    subject::host(dialect, &args.sandbox, config)
}

fn notes(cases: &[Case], host: &Host, empty: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let redacted = cases.iter().any(|case| {
        case.plan.iter().any(|plan| {
            let sent = plan.steps.iter().any(|step| match step {
                Step::Send(send) => send.pieces.iter().any(|piece| holds(&piece.data)),
                _ => false,
            });
            sent || plan.commands.iter().any(|command| {
                command.argv.iter().any(holds) || command.env.iter().any(|(_, value)| holds(value))
            })
        })
    });
    if redacted {
        notes.push(
            "secrets are masked in the stored sessions: Stickler sent REDACTED in their place, \
             so the module may behave differently"
                .to_owned(),
        );
    }
    let tier = host.tier().to_string();
    if let Some(other) = cases
        .iter()
        .map(|case| &case.tier)
        .find(|stored| **stored != tier)
    {
        notes.push(format!(
            "stored in the sandbox \"{other}\", run again in \"{tier}\": differences may come from that"
        ));
    }
    if empty {
        notes.push("the stored sessions have no exchange".to_owned());
    }
    notes
}

fn holds(bytes: &Bytes) -> bool {
    stickler_reading::words::contains(bytes, MASK)
}

struct Paint {
    color: bool,
}

impl Paint {
    fn of(&self, color: AnsiColor) -> Style {
        if self.color {
            Style::new().bold().fg_color(Some(color.into()))
        } else {
            Style::new()
        }
    }

    fn bold(&self) -> Style {
        if self.color {
            Style::new().bold()
        } else {
            Style::new()
        }
    }
}

fn pretty(
    args: &ReplayArgs,
    name: &str,
    module: &str,
    host: &Host,
    rerun: &Rerun,
    notes: &[String],
) -> Result<(), Failure> {
    let color = args.color.on_stdout();
    let paint = Paint { color };
    let bold = paint.bold();
    let mut out: Vec<u8> = Vec::new();
    let tier = subject::sandbox(&host.tier().to_string());
    let _ = writeln!(
        out,
        "{bold}{}{bold:#} · run again · {} · {tier}",
        visible(name),
        visible(module)
    );
    let options = Options {
        width: terminal::width(),
        color,
        verbose: args.verbose,
        ..Options::default()
    };
    for verdict in &rerun.changes {
        out.push(b'\n');
        let style = match verdict.became {
            Became::StillFailing | Became::New => paint.of(AnsiColor::Red),
            Became::Fixed => paint.of(AnsiColor::Green),
            Became::NotExercised => paint.of(AnsiColor::Yellow),
        };
        let (name, title) = (said(verdict), visible(&verdict.stored.title));
        let _ = writeln!(
            out,
            "{style}{name}{style:#}  {bold}{}{bold:#}  {title}",
            verdict.stored.code
        );
        for line in wrapped(
            &remark(verdict, rerun.tries),
            terminal::width().saturating_sub(6),
        ) {
            let _ = writeln!(out, "      {line}");
        }
        if matches!(verdict.became, Became::StillFailing | Became::New) {
            out.push(b'\n');
            stickler_report::render_outcome(&verdict.now, true, &options, &mut out)
                .map_err(|error| Failure::harness(stickler_face::failure::chain(&error)))?;
        }
    }
    if rerun.changes.is_empty() {
        let _ = writeln!(
            out,
            "\nno rule failed, neither in the stored sessions nor now"
        );
    }
    out.push(b'\n');
    if rerun.differences.is_empty() {
        let _ = writeln!(out, "the conversation is the same as the stored one");
    } else {
        let _ = writeln!(out, "the conversation has changed (- stored, + now)");
        let most = if args.verbose { usize::MAX } else { SHOWN };
        for Difference { case, old, new } in &rerun.differences {
            let _ = writeln!(out, "\n  {bold}{}{bold:#}", visible(case));
            out.extend(stickler_report::diff(old, new, most, color).bytes());
        }
    }
    terminal::print(&out)?;
    for note in notes {
        terminal::note(note);
    }
    Ok(())
}

fn remark(verdict: &Change, tries: usize) -> String {
    let was = || {
        verdict
            .stored
            .message
            .as_deref()
            .map_or_else(String::new, |message| visible(message).into_owned())
    };
    match verdict.became {
        Became::StillFailing => String::new(),
        Became::New => "it passed in the stored sessions, and fails now".to_owned(),
        Became::Fixed => format!(
            "did not fail in {tries} runs; the stored finding: {}",
            was()
        ),
        Became::NotExercised => format!(
            "inconclusive: the sessions no longer reach the failing exchange; the stored finding: {}",
            was()
        ),
    }
}

/// The text in lines of at most this many columns.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn visible(text: &str) -> std::borrow::Cow<'_, str> {
    stickler_report::visible(text)
}

fn json(name: &str, module: &str, rerun: &Rerun, notes: &[String]) -> Result<(), Failure> {
    let mut out = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for verdict in &rerun.changes {
        let status = match verdict.became {
            Became::StillFailing => "still_failing",
            Became::New => "new",
            Became::Fixed => "fixed",
            Became::NotExercised => "not_exercised",
        };
        *counts.entry(status).or_default() += 1;
        let shown = if verdict.now.verdict.is_failure() {
            &verdict.now
        } else {
            &verdict.stored
        };
        let line = serde_json::json!({
            "event": "rule",
            "rule": verdict.stored.code,
            "level": shown.level.name(),
            "status": status,
            "message": shown.message,
        });
        let _ = writeln!(out, "{line}");
    }
    for Difference { case, old, new } in &rerun.differences {
        let diff = stickler_report::diff(old, new, usize::MAX, false);
        let line = serde_json::json!({"event": "conversation", "case": case, "diff": diff});
        let _ = writeln!(out, "{line}");
    }
    let count = |status: &str| counts.get(status).copied().unwrap_or(0);
    let line = serde_json::json!({
        "event": "summary",
        "file": name,
        "module": module,
        "fixed": count("fixed"),
        "still_failing": count("still_failing"),
        "new": count("new"),
        "not_exercised": count("not_exercised"),
        "conversation": if rerun.differences.is_empty() { "same" } else { "changed" },
        "notes": notes,
    });
    let _ = writeln!(out, "{line}");
    terminal::print(&out)
}
