//! What a campaign shows while it runs: a line that changes on a terminal, a line now and then
//! elsewhere, events as JSON.

use super::earlier::{self, Earlier};
use super::folder;
use super::seconds::seconds;
use super::{unreached, yields};
use crate::args::FuzzArgs;
use crate::reproducer;
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use stickler_face::args::ListFormat;
use stickler_face::{Interrupt, terminal};
use stickler_fuzz::{Before, CampaignEvent, CampaignOutcome, Ended, Finding, Recalled, Status};
use stickler_judge::{Exit, Level, Reported};
use stickler_report::count;
use stickler_suite::{Harvest, Observer, Redactor, lock};

/// How often a line appears where none can change.
const PLAIN: Duration = Duration::from_secs(10);
/// How often the summary is written: as much is lost of the counters of a killed campaign.
const WRITTEN: Duration = Duration::from_secs(2);
/// How often a status is printed as JSON.
const JSON: Duration = Duration::from_secs(5);

/// Shows a campaign, and writes what reproduces its findings.
pub struct Live<'l> {
    name: String,
    findings: &'l Path,
    /// What the campaign writes besides.
    own: Option<Own>,
    strict: bool,
    /// What the description says is secret, until the examples have shown more.
    redactor: Mutex<Arc<Redactor>>,
    interrupt: &'l Interrupt,
    format: ListFormat,
    verbose: bool,
    color: bool,
    line: ProgressBar,
    state: Mutex<State>,
}

/// The folder of a campaign, and the runs before this one.
pub struct Own {
    pub folder: PathBuf,
    pub earlier: Earlier,
}

#[derive(Default)]
struct State {
    /// The reproducers, in the order of the findings.
    reproducers: Vec<Option<PathBuf>>,
    /// When the last status was printed.
    told: Duration,
    /// What `summary` holds: when it was written, and for how many findings.
    written: Option<(Duration, usize)>,
    /// Does a finding fail the run?
    fails: bool,
    /// What is known of earlier runs, until the campaign begins.
    known: Vec<Before>,
    /// How many defects of earlier runs occur again, how many do not, and of how many nobody knows.
    recalled: [usize; 3],
    /// The status when a finding came, so that its count is written at once.
    last: Option<Status>,
}

impl<'l> Live<'l> {
    /// A view that shows nothing yet.
    pub fn new(
        args: &FuzzArgs,
        interrupt: &'l Interrupt,
        name: &str,
        findings: &'l Path,
        own: Option<Own>,
        redactor: Redactor,
    ) -> Self {
        let is_pretty = args.format == ListFormat::Pretty;
        let moves =
            is_pretty && std::io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        let line = if moves {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            line.set_style(style);
        }
        Live {
            name: name.to_owned(),
            findings,
            own,
            strict: args.strict,
            redactor: Mutex::new(Arc::new(redactor)),
            interrupt,
            format: args.format,
            verbose: args.verbose,
            color: args.color.on_stdout(),
            line,
            state: Mutex::default(),
        }
    }

    /// Prints a line of the report above the one that changes.
    fn print(&self, text: &str) {
        self.line.suspend(|| {
            // If its reader is gone, the exit code still shows it.
            let _ = terminal::print(format!("{text}\n"));
        });
    }

    /// Says what is fuzzed.
    pub fn title(&self, about: &str) {
        if self.format == ListFormat::Pretty {
            self.print(&format!("{} · {about}", self.name));
        }
    }

    /// Tells what a campaign without examples begins with.
    pub fn harvested(&self, harvest: &Harvest) {
        if self.format == ListFormat::Pretty {
            let names = match &harvest.names[..] {
                [] => "no attribute name found in the source or in error messages".to_owned(),
                names => format!("attributes found: {}", names.join(", ")),
            };
            let names = stickler_report::visible(&names);
            self.print(&format!("makes up items of type {}; {names}", harvest.kind));
        }
    }

    /// Writes what the campaign has come to, for `stickler fuzz merge` and the next run.
    fn write(&self, summary: &serde_json::Value) {
        let Some(own) = &self.own else {
            return;
        };
        let path = own.folder.join(folder::SUMMARY);
        if let Err(error) = folder::write(&path, summary) {
            self.note(&format!("{}: {error}", path.display()));
        }
    }

    /// A defect as the next run knows it, without secrets.
    fn known(&self, finding: &Finding) -> Before {
        let whole = Before::from(finding);
        let masked = serde_json::to_string(&whole).map(|text| self.redactor().text(&text));
        let masked = masked.and_then(|text| serde_json::from_str(&text));
        masked.unwrap_or(Before {
            message: String::new(),
            input: stickler_fuzz::Input::default(),
            ..whole
        })
    }

    /// Notes that a defect is known.
    fn write_known(&self, finding: &Finding) {
        let Some(own) = &self.own else {
            return;
        };
        if let Err(error) = earlier::add(&own.folder, &self.known(finding)) {
            self.note(&format!("{}: {error}", own.folder.display()));
        }
    }

    /// What all runs came to, if there were others.
    pub fn totals(&self, status: &Status) -> Vec<String> {
        let Some(own) = self.own.as_ref().filter(|own| own.earlier.runs > 0) else {
            return Vec::new();
        };
        let Earlier {
            runs,
            seconds,
            cases,
            requests,
            ..
        } = own.earlier;
        let number = |count: u64, thing| {
            stickler_report::count(usize::try_from(count).unwrap_or(usize::MAX), thing)
        };
        vec![format!(
            "with earlier runs: {}, {}, {}, {}",
            number(runs + 1, "run"),
            stickler_report::clock(seconds + status.time.as_secs_f64()),
            number(cases + status.cases, "session"),
            number(requests + status.requests, "request"),
        )]
    }

    /// Tells what this run goes on from.
    fn tell_earlier(&self) {
        let mut state = lock(&self.state);
        let known = std::mem::take(&mut state.known);
        let [again, gone, open] = state.recalled;
        drop(state);
        let Some(own) = &self.own else {
            return;
        };
        if let Err(error) = earlier::keep(&own.folder, &known) {
            self.note(&format!("{}: {error:#}", own.folder.display()));
        }
        if own.earlier.runs == 0 || self.format == ListFormat::Json {
            return;
        }
        let killed = match own.earlier.killed {
            true => ", the last of which did not end properly",
            false => "",
        };
        let runs = usize::try_from(own.earlier.runs).unwrap_or(usize::MAX);
        self.print(&format!("goes on after {}{killed}", count(runs, "run")));
        let said = [
            (again, "occurs again", "occur again"),
            (gone, "does not occur any more", "do not occur any more"),
            (open, "was not tried again", "were not tried again"),
        ];
        for (number, one, more) in said {
            let words = if number == 1 { one } else { more };
            if number > 0 {
                let defects = count(number, "known defect");
                self.print(&format!("{defects} {words}"));
            }
        }
    }

    /// Writes how far the campaign is, if that is news: it may be killed at any moment.
    fn write_status(&self, status: &Status) {
        let found: usize = status.findings.iter().sum();
        let mut state = lock(&self.state);
        let is_news = state.written.is_none_or(|(time, known)| {
            found != known || status.time.saturating_sub(time) >= WRITTEN
        });
        if !is_news {
            return;
        }
        state.written = Some((status.time, found));
        let exit = if state.fails {
            Exit::Findings
        } else {
            Exit::Success
        };
        drop(state);
        self.write(&self.total(summed(status, "running", None, &[], exit), status));
    }

    /// Adds what is known of all runs to a summary.
    fn total(&self, mut summary: serde_json::Value, status: &Status) -> serde_json::Value {
        if let Some(own) = &self.own {
            own.earlier.total(&mut summary, status);
            summary["known"] = json!(lock(&self.state).recalled[0]);
        }
        summary
    }

    /// The campaign is over. Returns its summary.
    pub fn ended(&self, outcome: &CampaignOutcome, exit: Exit) -> serde_json::Value {
        let mut summary = self.total(summary(outcome, exit), &outcome.status);
        summary["unreached"] = unreached::json(outcome, &self.redactor());
        summary["yields"] = yields::json(outcome);
        self.write(&summary);
        summary
    }

    /// What hides the secrets that are known so far.
    pub fn redactor(&self) -> Arc<Redactor> {
        lock(&self.redactor).clone()
    }

    /// Ends the view. Returns the reproducers, in the order of the findings.
    pub fn finish(self) -> Vec<Option<PathBuf>> {
        self.line.finish_and_clear();
        let state = self.state.into_inner();
        state.unwrap_or_else(PoisonError::into_inner).reproducers
    }

    /// Writes the file that reproduces a finding.
    fn save(&self, finding: &Finding) -> Option<PathBuf> {
        let digest = blake3::hash(finding.signature.to_string().as_bytes()).to_hex();
        let rule = &finding.signature.rule;
        let file = format!("{}-{rule}-{}.jsonl", self.name, &digest[..4]);
        let path = self.findings.join(file);
        let redactor = self.redactor();
        let transcripts = finding.transcripts.iter();
        let transcripts: Vec<_> = transcripts.map(|one| redactor.redacted(one)).collect();
        match reproducer::save(&path, &transcripts) {
            Ok(()) => Some(path),
            Err(failure) => {
                self.note(&format!("no reproducer: {}", failure.message));
                None
            }
        }
    }
}

impl Observer<CampaignEvent<'_>> for Live<'_> {
    fn tell(&self, event: CampaignEvent<'_>) {
        match event {
            CampaignEvent::Learned(redactor) => {
                *lock(&self.redactor) = redactor;
            }
            CampaignEvent::Begins { seeds, from_corpus } => self.begins(seeds, from_corpus),
            CampaignEvent::Recalled(recalled) => self.recalled(recalled),
            CampaignEvent::Found(finding) => self.found(finding),
            CampaignEvent::Note(text) => self.note(text),
            CampaignEvent::Status(status) => self.status(status),
        }
    }

    fn stop(&self) -> &AtomicBool {
        self.interrupt.stop()
    }
}

impl Live<'_> {
    fn recalled(&self, recalled: Recalled<'_>) {
        let mut known = None;
        let (place, path) = match recalled {
            Recalled::Again(finding) => {
                known = Some(self.known(finding));
                (0, Some((self.save(finding), finding.fails(self.strict))))
            }
            Recalled::Gone(_) => (1, None),
            Recalled::Open(before) => {
                known = Some(before.clone());
                (2, None)
            }
        };
        let mut state = lock(&self.state);
        state.recalled[place] += 1;
        state.known.extend(known);
        if let Some((path, fails)) = path {
            state.reproducers.push(path);
            state.fails |= fails;
        }
    }

    fn begins(&self, seeds: usize, from_corpus: usize) {
        self.tell_earlier();
        if self.format == ListFormat::Pretty {
            let corpus = format!("{} of the corpus", count(from_corpus, "input"));
            let all = match (seeds, from_corpus) {
                (0, _) => corpus,
                (_, 0) => count(seeds, "session"),
                _ => format!("{} and {corpus}", count(seeds, "session")),
            };
            self.print(&format!("begins with {all}"));
        }
    }

    fn found(&self, finding: &Finding) {
        let path = self.save(finding);
        let message = self.redactor().text(&finding.message);
        // It is in the list already.
        if finding.again {
            let mut state = lock(&self.state);
            state.recalled[0] += 1;
            state.recalled[2] = state.recalled[2].saturating_sub(1);
            state.reproducers.push(path);
            state.fails |= finding.fails(self.strict);
            return;
        }
        self.write_known(finding);
        if self.format == ListFormat::Json {
            let (shown, tries) = finding.shown;
            self.print(
                &json!({
                    "event": "finding",
                    "rule": finding.signature.rule,
                    "level": finding.level,
                    "signature": finding.signature.to_string(),
                    "seconds": seconds(finding.at),
                    "cases": finding.cases,
                    "message": message,
                    "steps": finding.input.steps.len(),
                    "shown": shown,
                    "tries": tries,
                    "reproducer": path,
                })
                .to_string(),
            );
        } else if finding.level > Level::May || self.verbose {
            let (label, color) = match finding.level {
                Level::Must => ("FOUND", AnsiColor::Red),
                Level::Should => ("FOUND", AnsiColor::Yellow),
                Level::May => ("advice", AnsiColor::Cyan),
            };
            let style = match self.color {
                true => Style::new().bold().fg_color(Some(color.into())),
                false => Style::new(),
            };
            let message = stickler_report::visible(&message).into_owned();
            self.print(&format!(
                "{style}{label}{style:#} {} {} after {}: {message}",
                finding.signature.rule,
                finding.level.name(),
                clock(finding.at),
            ));
        }
        let mut state = lock(&self.state);
        state.reproducers.push(path);
        state.fails |= finding.fails(self.strict);
        let last = state.last.take();
        drop(state);
        // It may be killed now: what it found is written already.
        if let Some(mut status) = last {
            status.count(finding.level);
            self.write_status(&status);
        }
    }

    fn note(&self, text: &str) {
        self.line.suspend(|| terminal::note(text));
    }

    fn status(&self, status: &Status) {
        self.write_status(status);
        self.line.set_message(line(status));
        self.line.tick();
        let every = match self.format {
            ListFormat::Json => JSON,
            ListFormat::Pretty => PLAIN,
        };
        let mut state = lock(&self.state);
        state.last = Some(status.clone());
        if status.time.saturating_sub(state.told) < every {
            return;
        }
        state.told = status.time;
        drop(state);
        match self.format {
            ListFormat::Json => self.print(&counters("status", status).to_string()),
            ListFormat::Pretty if self.line.is_hidden() => self.print(&line(status)),
            ListFormat::Pretty => {}
        }
    }
}

/// A time as people read it.
fn clock(time: Duration) -> String {
    stickler_report::clock(time.as_secs_f64())
}

/// The status as one line.
fn line(status: &Status) -> String {
    let stable = match status.stable {
        (_, 0) => String::new(),
        (same, all) => format!(" · stable {:.0} %", 100.0 * same as f64 / all as f64),
    };
    let number = |count: u64, thing| {
        stickler_report::count(usize::try_from(count).unwrap_or(usize::MAX), thing)
    };
    let lines = status
        .lines
        .map_or_else(String::new, |lines| format!(", {} {lines}", status.units));
    format!(
        "{} · {} ({:.0}/s) · corpus {} · answers {}{lines}, last new {} ago{stable} · {}",
        clock(status.time),
        number(status.requests, "request"),
        status.rate(),
        status.corpus,
        status.seen,
        clock(status.since_new),
        findings(status),
    )
}

/// `no finding`, `2 must, 1 should, 3 advice`
pub fn findings(status: &Status) -> String {
    let named = status.findings.iter().zip(["must", "should", "advice"]);
    let some: Vec<String> = named
        .filter(|(count, _)| **count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    match some.is_empty() {
        true => "no finding".to_owned(),
        false => some.join(", "),
    }
}

fn counters(event: &str, status: &Status) -> serde_json::Value {
    let [must, should, may] = status.findings;
    let (same, twice) = status.stable;
    json!({
        "event": event,
        "seconds": seconds(status.time),
        "cases": status.cases,
        "requests": status.requests,
        "requests_per_second": status.rate().round(),
        "processes": status.processes,
        "corpus": status.corpus,
        "seen": status.seen,
        "lines": status.lines,
        "seconds_since_new": seconds(status.since_new),
        "run_twice": twice,
        "same_twice": same,
        "must": must,
        "should": should,
        "may": may,
    })
}

/// The last line as JSON.
fn summary(outcome: &CampaignOutcome, exit: Exit) -> serde_json::Value {
    let (ended, why) = match &outcome.ended {
        Ended::Limit => ("limit", None),
        Ended::Finding => ("finding", None),
        Ended::Replayed => ("replayed", None),
        Ended::Interrupted => ("interrupted", None),
        Ended::Empty(why) => ("empty", Some(&why[..])),
    };
    summed(&outcome.status, ended, why, &outcome.troubles, exit)
}

fn summed(
    status: &Status,
    ended: &str,
    why: Option<&str>,
    troubles: &[String],
    exit: Exit,
) -> serde_json::Value {
    let mut line = counters("summary", status);
    if let Some(members) = line.as_object_mut() {
        members.insert("ended".to_owned(), json!(ended));
        if let Some(why) = why {
            members.insert("why".to_owned(), json!(why));
        }
        members.insert("troubles".to_owned(), json!(troubles));
        members.insert("exit".to_owned(), json!(exit as u8));
    }
    line
}

/// The last lines for people.
pub fn closing(
    outcome: &CampaignOutcome,
    corpus: &Path,
    totals: &[String],
    verbose: bool,
) -> String {
    let status = &outcome.status;
    let mut lines = vec![String::new(), line(status)];
    lines.extend_from_slice(totals);
    if status.corpus > 0 && outcome.ended != Ended::Replayed {
        lines.push(format!(
            "the corpus is in {}: the next campaign continues from it",
            corpus.display()
        ));
    }
    if status.findings[2] > 0 && !verbose {
        let advice = count(status.findings[2], "finding");
        lines.push(format!(
            "{advice} of level may are not shown; --verbose shows them"
        ));
    }
    if status.evaluations == 0 && outcome.ended == Ended::Limit {
        lines.push(
            "nothing was evaluated: validation accepted nothing; an [[example]] in stickler.toml helps"
                .to_owned(),
        );
    }
    // If nothing was tested, that is the answer.
    if !matches!(outcome.ended, Ended::Empty(_)) {
        lines.push(answer(outcome));
    }
    lines.join("\n") + "\n"
}

/// The answer in a few words, if something was tested.
fn answer(outcome: &CampaignOutcome) -> String {
    let [must, should, _] = outcome.status.findings;
    match (must, should) {
        (0, 0) => "nothing failed".to_owned(),
        _ => format!("{} found", count(must + should, "defect")),
    }
}

/// The answer as one line.
pub fn verdict(outcome: &CampaignOutcome) -> String {
    match &outcome.ended {
        Ended::Empty(why) => format!("nothing was tested: {why}"),
        _ => answer(outcome),
    }
}

/// A finding as a report shows it, without secrets: what the campaign told comes first.
pub fn block(finding: &Finding, reproducer: Option<&Path>, redactor: &Redactor) -> Reported {
    let mut block = finding.outcome.clone();
    block.lead(&finding.message, finding.level);
    block.reproducer = reproducer.map(|path| path.display().to_string());
    redactor.outcome(&mut block);
    block
}
