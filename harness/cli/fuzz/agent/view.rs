//! What a campaign on an agent shows while it runs and at its end, and the files of its findings.

use super::super::seconds::seconds;
use super::ended::{End, Ended, Found, Status};
use crate::args::FuzzArgs;
use crate::reproducer;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use stickler_face::args::ListFormat;
use stickler_face::side_by_side::lock;
use stickler_face::terminal::is_watched;
use stickler_face::{Failure, terminal};
use stickler_judge::{Exit, Level};
use stickler_report::{Options, count, thousands};

/// How often a line appears where none can change.
const PLAIN: Duration = Duration::from_secs(10);
/// How often a status is printed as JSON.
const JSON: Duration = Duration::from_secs(5);
/// The folder for situations, beside the reproducers.
const SITUATIONS: &str = "situations";

/// Shows a campaign.
pub(super) struct View<'v> {
    name: String,
    findings: &'v Path,
    args: &'v FuzzArgs,
    line: ProgressBar,
    told: Mutex<Duration>,
}

impl<'v> View<'v> {
    pub(super) fn new(args: &'v FuzzArgs, name: &str, findings: &'v Path) -> Self {
        let line = match args.format == ListFormat::Pretty && is_watched() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            line.set_style(style);
        }
        Self {
            name: name.to_owned(),
            findings,
            args,
            line,
            told: Mutex::default(),
        }
    }

    fn is_pretty(&self) -> bool {
        self.args.format == ListFormat::Pretty
    }

    fn print(&self, text: &str) {
        self.line.suspend(|| {
            // If its reader is gone, the exit code still shows it.
            let _ = terminal::print(format!("{text}\n"));
        });
    }

    pub(super) fn title(&self, agent: &str, facts: &[String], seed: u64) {
        if self.is_pretty() {
            self.print(&format!("{agent} · {} · seed {seed}", facts.join(" · ")));
        }
    }

    pub(super) fn status(&self, status: &Status, found: &[Found]) {
        self.line.set_message(line(status, found));
        self.line.tick();
        let every = if self.is_pretty() { PLAIN } else { JSON };
        let mut told = lock(&self.told);
        if status.time.saturating_sub(*told) < every {
            return;
        }
        *told = status.time;
        drop(told);
        if !self.is_pretty() {
            self.print(&counters("status", status, found).to_string());
        } else if self.line.is_hidden() {
            self.print(&line(status, found));
        }
    }

    /// Writes the files of a finding, and tells it.
    pub(super) fn found(&self, found: &mut Found) {
        let digest = blake3::hash(found.signature.as_bytes()).to_hex();
        let file = format!("{}-{}-{}", self.name, found.rule, &digest[..6]);
        let path = self.findings.join(format!("{file}.jsonl"));
        match reproducer::save(&path, &found.transcripts) {
            Ok(()) => found.outcome.reproducer = Some(path.display().to_string()),
            Err(failure) => self.note(&format!("no reproducer: {}", failure.message)),
        }
        let place = self.findings.join(SITUATIONS).join(format!("{file}.json"));
        let situation = match write(&place, &found.situation) {
            Ok(()) => Some(place),
            Err(error) => {
                self.note(&format!("{}: {error}", place.display()));
                None
            }
        };
        let level = found.outcome.level;
        let message = found.outcome.message.clone().unwrap_or_default();
        if !self.is_pretty() {
            self.print(
                &json!({
                    "event": "finding",
                    "rule": found.rule,
                    "level": level,
                    "signature": found.signature,
                    "seconds": seconds(found.at),
                    "cases": found.cases,
                    "message": message,
                    "reproducer": found.outcome.reproducer,
                    "situation": situation,
                })
                .to_string(),
            );
        } else if level > Level::May || self.args.verbose {
            let message = stickler_report::visible(&message).into_owned();
            let at = clock(found.at);
            self.print(&format!(
                "FOUND {} {} after {at}: {message}",
                found.rule,
                level.name()
            ));
        }
    }

    fn note(&self, text: &str) {
        self.line.suspend(|| terminal::note(text));
    }

    /// Shows the findings again, with what was said, and how the campaign ended.
    pub(super) fn ended(&self, ended: &Ended, exit: Exit) -> Result<(), Failure> {
        self.line.finish_and_clear();
        let (status, found) = (&ended.status, &ended.found);
        if !self.is_pretty() {
            let mut summary = counters("summary", status, found);
            summary["ended"] = json!(words(ended.end));
            summary["exit"] = json!(exit as u8);
            return terminal::print(format!("{summary}\n"));
        }
        let options = Options {
            width: terminal::width(),
            color: self.args.color.on_stdout(),
            verbose: self.args.verbose,
            ..Options::default()
        };
        let mut out = Vec::new();
        for one in found
            .iter()
            .filter(|one| one.outcome.level > Level::May || self.args.verbose)
        {
            out.push(b'\n');
            stickler_report::render_outcome(&one.outcome, self.args.strict, &options, &mut out)
                .map_err(|error| Failure::harness(stickler_face::failure::chain(&error)))?;
        }
        out.extend(format!("\n{}\n", line(status, found)).bytes());
        if !found.is_empty() {
            let folder = self.findings.join(SITUATIONS);
            let folder = folder.display();
            out.extend(
                format!("`stickler conform --situations {folder}` plays what was found\n").bytes(),
            );
        }
        out.extend(format!("{}\n", verdict(ended)).bytes());
        terminal::print(&out)
    }
}

/// A situation is whole or absent: whoever reads the folder reads all of it.
fn write(path: &PathBuf, situation: &Value) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        reproducer::make(folder)?;
    }
    let unfinished = path.with_extension("part");
    std::fs::write(&unfinished, format!("{situation:#}\n"))?;
    std::fs::rename(unfinished, path)
}

fn words(end: End) -> &'static str {
    match end {
        End::Limit => "limit",
        End::Finding => "finding",
        End::Interrupted => "interrupted",
    }
}

/// The answer in a few words.
pub(super) fn verdict(ended: &Ended) -> String {
    let shown = ended
        .found
        .iter()
        .filter(|one| one.outcome.level > Level::May);
    match (ended.status.cases, shown.count()) {
        (0, _) => "nothing was tested".to_owned(),
        (_, 0) => "nothing failed".to_owned(),
        (_, number) => format!("{} found", count(number, "defect")),
    }
}

fn clock(time: Duration) -> String {
    stickler_report::clock(time.as_secs_f64())
}

/// How many findings there are of each level: must, should, may.
fn levels(found: &[Found]) -> [usize; 3] {
    [Level::Must, Level::Should, Level::May].map(|level| {
        let own = found.iter().filter(|one| one.outcome.level == level);
        own.count()
    })
}

fn rate(status: &Status) -> f64 {
    status.cases as f64 / status.time.as_secs_f64().max(0.001)
}

fn line(status: &Status, found: &[Found]) -> String {
    let some: Vec<String> = levels(found)
        .iter()
        .zip(["must", "should", "advice"])
        .filter(|(count, _)| **count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    let some = if some.is_empty() {
        "no finding".to_owned()
    } else {
        some.join(", ")
    };
    let branches = status
        .branches
        .map_or_else(String::new, |all| format!("{} branches · ", thousands(all)));
    let cases = usize::try_from(status.cases).unwrap_or(usize::MAX);
    format!(
        "{} · {} ({:.1}/s) · {branches}corpus {}, last new {} ago · {some}",
        clock(status.time),
        count(cases, "situation"),
        rate(status),
        status.corpus,
        clock(status.time.saturating_sub(status.last_new)),
    )
}

fn counters(event: &str, status: &Status, found: &[Found]) -> Value {
    let [must, should, may] = levels(found);
    let mut all = json!({
        "event": event,
        "seconds": seconds(status.time),
        "cases": status.cases,
        "cases_per_second": (rate(status) * 10.0).round() / 10.0,
        "requests": status.requests,
        "corpus": status.corpus,
        "seconds_since_new": seconds(status.time.saturating_sub(status.last_new)),
        "unstable": status.unstable,
        "must": must,
        "should": should,
        "may": may,
    });
    if let Some(branches) = status.branches {
        all["lines"] = json!(branches);
    }
    all
}
