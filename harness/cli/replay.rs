//! `stickler replay`: runs the sessions of a reproducer again, and says what
//! became of the findings.

use crate::args::{ListFormat, ReplayArgs, SandboxArgs};
use crate::failure::{Done, Failure};
use crate::terminal::{self, Bar};
use crate::{changes, conversation, subject, transcripts, volatile};
use anstyle::{AnsiColor, Style};
use cfengine_protocol::rules::RULES;
use cfengine_protocol::{Session, phase};
use cfengine_suite::{PromiseModules, VOCABULARY};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use stickler_judge::{Exit, Expectations, Level, Outcome, Rule, Verdict, conclude, judge};
use stickler_report::Options;
use stickler_session::sandbox::{Host, Tier};
use stickler_suite::config::{self, Config};
use stickler_suite::{Progress, SCRATCH, planned};
use stickler_transcript::{Bytes, Case, Step};

/// What stands in stored transcripts for a secret.
const MASK: &[u8] = b"REDACTED";
/// Lines of a difference that are shown without `--verbose`.
const SHOWN: usize = 40;
/// A finding that is not seen is looked for so many times in all.
const TRIES: usize = 2;

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    StillFailing,
    /// It failed in the new sessions alone.
    New,
    Fixed,
    /// It failed, and now nothing in the sessions could break it.
    NotExercised,
}

impl Fate {
    fn name(self) -> &'static str {
        match self {
            Fate::StillFailing => "still failing",
            Fate::New => "changed",
            Fate::Fixed => "fixed",
            Fate::NotExercised => "not exercised",
        }
    }

    fn fails(self) -> bool {
        // What is not exercised any more is not known to be fixed.
        !matches!(self, Fate::Fixed)
    }
}

struct Verdicts {
    fate: Fate,
    stored: Outcome,
    now: Outcome,
}

pub fn run(args: &ReplayArgs) -> Done {
    let name = transcripts::name(&args.file);
    let stored = transcripts::sessions(transcripts::read(&args.file)?);
    // What an agent sent is sent again; it is the module that is judged.
    let cases: Vec<Case> = stored
        .iter()
        .map(|session| planned(session, phase::TERMINATE).unwrap_or_else(|| session.case().clone()))
        .collect();
    runnable(&name, &cases)?;
    present(&name, &cases)?;
    let config = configuration(&cases);
    let host = host(args, &cases, &config)?;
    let rules: Vec<&Rule<Session>> = RULES.iter().collect();
    let before = outcomes(&rules, &stored);
    let mut tries = vec![again(&host, &cases)?];
    let mut now = outcomes(&rules, &tries[0]);
    while tries.len() < TRIES && (disappeared(&before, &now) || differs(&stored, &tries[0])) {
        let next = again(&host, &cases)?;
        let judged = outcomes(&rules, &next);
        // A finding that is seen once is there.
        for (outcome, other) in now.iter_mut().zip(judged) {
            if !failed(outcome) && failed(&other) {
                *outcome = other;
            }
        }
        tries.push(next);
    }
    let verdicts = verdicts(before, now);
    let mut differences = Vec::new();
    let masks = masked(&tries, &config);
    for (index, session) in stored.iter().enumerate() {
        let old = volatile::like(&plain(session), &masks[index]);
        if old != masks[index] {
            differences.push((session.case().id.clone(), old, masks[index].clone()));
        }
    }
    let notes = notes(&cases, &host, &stored);
    match args.format {
        ListFormat::Pretty => pretty(
            args,
            &name,
            &host,
            &verdicts,
            &differences,
            &notes,
            tries.len(),
        )?,
        ListFormat::Json => json(&name, &verdicts, &differences, &notes)?,
    }
    let failing = verdicts.iter().any(|verdict| verdict.fate.fails());
    Ok(if failing {
        Exit::Findings
    } else {
        Exit::Success
    })
}

/// Every session needs a plan.
fn runnable(name: &str, cases: &[Case]) -> Result<(), Failure> {
    match cases.iter().find(|case| case.plan.is_none()) {
        None => Ok(()),
        Some(case) => Err(Failure::usage(format!(
            "{name}: the session \"{}\" holds neither a plan nor the command that was started: it cannot be run again\n  \
             stickler judge {name}   judges what was recorded",
            case.id
        ))),
    }
}

/// The module and what runs it have to be where they were.
fn present(name: &str, cases: &[Case]) -> Result<(), Failure> {
    for case in cases {
        let Some(command) = case.plan.as_ref().and_then(|plan| plan.commands.first()) else {
            return Err(Failure::usage(format!(
                "{name}: the plan of the session \"{}\" names no command to start",
                case.id
            )));
        };
        for (index, word) in command.argv.iter().enumerate() {
            let path = path(word);
            let module = path
                .file_name()
                .is_some_and(|file| file.to_string_lossy() == case.subject.name);
            let own = path.starts_with(SCRATCH);
            if path.is_absolute() && !own && (index == 0 || module) && !path.exists() {
                let what = if module {
                    "the module"
                } else {
                    "the interpreter"
                };
                return Err(Failure {
                    exit: Exit::NoSession,
                    message: format!(
                        "{}: {what} of {name} is not there any more\n  \
                         put it back there, or run `stickler check` on the module where it lies now",
                        path.display()
                    ),
                });
            }
        }
    }
    Ok(())
}

fn path(word: &Bytes) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(word))
}

/// The `stickler.toml` of this folder, where it describes the same module: it
/// may open things in the sandbox.
fn configuration(cases: &[Case]) -> Config {
    let fallback = || Config {
        dir: PathBuf::from("."),
        ..Config::default()
    };
    let file = Path::new(subject::CONFIG);
    let Ok(config) = config::from_file(file, &VOCABULARY) else {
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

/// The tier in which the sessions were held, or the one that is asked for.
fn host(args: &ReplayArgs, cases: &[Case], config: &Config) -> Result<Host, Failure> {
    if args.sandbox.sandbox.is_some() {
        return subject::host(&args.sandbox, config);
    }
    let stored = cases
        .first()
        .and_then(|case| case.tier.parse::<Tier>().ok());
    if let Some(tier) = stored.filter(|tier| *tier != Tier::None) {
        let same = SandboxArgs {
            sandbox: Some(tier.to_string()),
        };
        if let Ok(host) = subject::host(&same, config) {
            return Ok(host);
        }
    }
    subject::host(&args.sandbox, config)
}

fn again(host: &Host, cases: &[Case]) -> Result<Vec<Session>, Failure> {
    let bar = Bar::new();
    bar.planned(cases.len());
    let dialect = PromiseModules::default();
    let mut sessions = Vec::new();
    for case in cases {
        sessions.push(stickler_suite::replay(
            &dialect,
            host,
            case.clone(),
            1,
            None,
        )?);
        bar.done(&case.id);
    }
    Ok(sessions)
}

fn outcomes(rules: &[&Rule<Session>], sessions: &[Session]) -> Vec<Outcome> {
    let ledgers = judge(rules, sessions);
    let mut outcomes = conclude(rules, &ledgers, sessions, &Expectations::default()).outcomes;
    crate::deployed::tell(&mut outcomes, rules, sessions);
    outcomes
}

fn failed(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Fail | Verdict::Flaky)
}

fn disappeared(before: &[Outcome], now: &[Outcome]) -> bool {
    before
        .iter()
        .zip(now)
        .any(|(before, now)| failed(before) && !failed(now))
}

fn plain(session: &Session) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    volatile::known(
        &conversation::text(session),
        &conversation::sent(session),
        now,
    )
}

fn differs(stored: &[Session], now: &[Session]) -> bool {
    stored.iter().zip(now).any(|(a, b)| plain(a) != plain(b))
}

/// The new conversations, with masks where they differ among themselves.
fn masked(tries: &[Vec<Session>], config: &Config) -> Vec<String> {
    let redactor = stickler_suite::Redactor::of(config);
    let text = |session: &Session| redactor.text(&plain(session));
    let Some((first, rest)) = tries.split_first() else {
        return Vec::new();
    };
    first
        .iter()
        .enumerate()
        .map(|(index, session)| {
            rest.iter().fold(text(session), |masked, other| {
                volatile::between(&masked, &text(&other[index]))
            })
        })
        .collect()
}

fn verdicts(before: Vec<Outcome>, now: Vec<Outcome>) -> Vec<Verdicts> {
    before
        .into_iter()
        .zip(now)
        .filter_map(|(stored, now)| {
            let fate = match (failed(&stored), failed(&now)) {
                (true, true) => Fate::StillFailing,
                (false, true) => Fate::New,
                (false, false) => return None,
                (true, false) if matches!(now.verdict, Verdict::Pass | Verdict::Advice) => {
                    Fate::Fixed
                }
                (true, false) => Fate::NotExercised,
            };
            Some(Verdicts { fate, stored, now })
        })
        .collect()
}

fn notes(cases: &[Case], host: &Host, stored: &[Session]) -> Vec<String> {
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
            "secrets were redacted when this was stored: the module was sent REDACTED in their place, \
             and may have behaved differently for it"
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
            "stored in the sandbox \"{other}\", run again in \"{tier}\": what differs may come from that"
        ));
    }
    if stored.iter().all(|session| session.exchanges.is_empty()) {
        notes.push("the stored sessions hold no exchange".to_owned());
    }
    notes
}

fn holds(bytes: &Bytes) -> bool {
    cfengine_protocol::words::contains(bytes, MASK)
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
    host: &Host,
    verdicts: &[Verdicts],
    differences: &[(String, String, String)],
    notes: &[String],
    tries: usize,
) -> Result<(), Failure> {
    let color = args.color.on_stdout();
    let paint = Paint { color };
    let bold = paint.bold();
    let mut out: Vec<u8> = Vec::new();
    let tier = match host.tier() {
        Tier::None => "no sandbox".to_owned(),
        tier => format!("{tier} sandbox"),
    };
    let _ = writeln!(out, "{bold}{}{bold:#} · run again · {tier}", visible(name));
    let options = Options {
        width: terminal::width(),
        color,
        verbose: args.verbose,
        ..Options::default()
    };
    for verdict in verdicts {
        out.push(b'\n');
        let style = match verdict.fate {
            Fate::StillFailing | Fate::New => paint.of(AnsiColor::Red),
            Fate::Fixed => paint.of(AnsiColor::Green),
            Fate::NotExercised => paint.of(AnsiColor::Yellow),
        };
        let (name, title) = (verdict.fate.name(), visible(&verdict.stored.title));
        let _ = writeln!(
            out,
            "{style}{name}{style:#}  {bold}{}{bold:#}  {title}",
            verdict.stored.code
        );
        for line in wrapped(&remark(verdict, tries), terminal::width().saturating_sub(6)) {
            let _ = writeln!(out, "      {line}");
        }
        if matches!(verdict.fate, Fate::StillFailing | Fate::New) {
            out.push(b'\n');
            stickler_report::render_outcome(&verdict.now, &options, &mut out)
                .map_err(|error| Failure::harness(crate::failure::chain(&error)))?;
        }
    }
    if verdicts.is_empty() {
        let _ = writeln!(
            out,
            "\nno rule failed, neither in the stored sessions nor now"
        );
    }
    out.push(b'\n');
    if differences.is_empty() {
        let _ = writeln!(out, "the conversation is the same as the stored one");
    } else {
        let _ = writeln!(out, "the conversation has changed (- stored, + now)");
        let most = if args.verbose { usize::MAX } else { SHOWN };
        for (case, old, new) in differences {
            let _ = writeln!(out, "\n  {bold}{}{bold:#}", visible(case));
            out.extend(changes::diff(old, new, most, color).bytes());
        }
    }
    terminal::print(&out)?;
    for note in notes {
        terminal::note(note);
    }
    Ok(())
}

fn remark(verdict: &Verdicts, tries: usize) -> String {
    let was = || {
        verdict
            .stored
            .message
            .as_deref()
            .map_or_else(String::new, |message| visible(message).into_owned())
    };
    match verdict.fate {
        Fate::StillFailing => String::new(),
        Fate::New => "it did not fail in the stored sessions, and fails now".to_owned(),
        Fate::Fixed => format!("not seen in {tries} runs; it was: {}", was()),
        Fate::NotExercised => format!(
            "inconclusive: the sessions no longer reach the failing exchange; it was: {}",
            was()
        ),
    }
}

/// Lines of so many columns.
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

fn json(
    name: &str,
    verdicts: &[Verdicts],
    differences: &[(String, String, String)],
    notes: &[String],
) -> Result<(), Failure> {
    let mut out = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for verdict in verdicts {
        let status = match verdict.fate {
            Fate::StillFailing => "still_failing",
            Fate::New => "new",
            Fate::Fixed => "fixed",
            Fate::NotExercised => "not_exercised",
        };
        *counts.entry(status).or_default() += 1;
        let shown = if failed(&verdict.now) {
            &verdict.now
        } else {
            &verdict.stored
        };
        let line = serde_json::json!({
            "event": "rule",
            "rule": verdict.stored.code,
            "level": level(shown.level),
            "status": status,
            "message": shown.message,
        });
        let _ = writeln!(out, "{line}");
    }
    for (case, old, new) in differences {
        let diff = changes::diff(old, new, usize::MAX, false);
        let line = serde_json::json!({"event": "conversation", "case": case, "diff": diff});
        let _ = writeln!(out, "{line}");
    }
    let count = |status: &str| counts.get(status).copied().unwrap_or(0);
    let line = serde_json::json!({
        "event": "summary",
        "file": name,
        "fixed": count("fixed"),
        "still_failing": count("still_failing"),
        "new": count("new"),
        "not_exercised": count("not_exercised"),
        "conversation": if differences.is_empty() { "same" } else { "changed" },
        "notes": notes,
    });
    let _ = writeln!(out, "{line}");
    terminal::print(&out)
}

fn level(level: Level) -> &'static str {
    crate::explain::level_name(level)
}
