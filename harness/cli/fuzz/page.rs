//! The web page of a campaign: what `stickler fuzz --report DIR` writes.

use super::live::{self, block};
use super::yields;
use crate::args::{Coverage as Wanted, FuzzArgs};
use std::path::PathBuf;
use stickler_fuzz::{CampaignOutcome, Coverage, CoverageKind, Ended, Mark, Sample, Source};
use stickler_judge::{Exit, Pages, Timeline};
use stickler_report::{
    Campaign, Defect, Gap, Reach, Sample as Shown, SourceFile, Sources, capital, clock, thousands,
};
use stickler_suite::Redactor;

/// What is known about a campaign before it begins.
pub struct About {
    /// Name of the subject.
    pub subject: String,
    /// Its path, if it is known.
    pub location: String,
    /// Its command line.
    pub command: String,
    /// Facts in a few words each.
    pub facts: Vec<String>,
    /// When the campaign began.
    pub began: String,
    /// The manual pages of the rules.
    pub pages: Pages,
    /// The seed.
    pub seed: u64,
    /// The files of its command line.
    pub files: Vec<PathBuf>,
    /// What all its runs came to, once it is over.
    pub totals: Vec<String>,
    /// What it never reached.
    pub unreached: Vec<Gap>,
}

/// Everything that the page shows, without secrets.
pub fn campaign(
    args: &FuzzArgs,
    about: About,
    outcome: &CampaignOutcome,
    reproducers: &[Option<PathBuf>],
    coverage: Option<&Coverage>,
    exit: Exit,
    redactor: &Redactor,
) -> Campaign {
    let defects = outcome.findings.iter().zip(reproducers);
    let defects = defects.map(|(finding, path)| {
        let mut shown = block(finding, path.as_deref(), redactor);
        let transcripts = finding.transcripts.iter();
        let redacted = transcripts.map(|one| redactor.redacted(one));
        shown.timelines = redacted.map(|one| Timeline::of(&one)).collect();
        redactor.outcome(&mut shown);
        Defect {
            outcome: shown,
            at: finding.at.as_secs_f64(),
            cases: finding.cases,
            shown: finding.shown,
            again: finding.again,
        }
    });
    Campaign {
        pages: about.pages,
        defects: defects.collect(),
        verdict: redactor.text(&live::verdict(outcome)),
        exit,
        strict: args.strict,
        seconds: outcome.status.time.as_secs_f64(),
        seed: (!args.replay_only).then_some(about.seed),
        remarks: remarks(outcome, coverage, &about.totals),
        counters: counters(outcome),
        samples: outcome.series.iter().map(sample).collect(),
        yields: yields::shown(outcome),
        unreached: about.unreached,
        sources: sources(args, coverage, &about.files, redactor),
        subject: about.subject,
        location: about.location,
        command: redactor.text(&about.command),
        facts: about.facts,
        began: about.began,
    }
}

fn sample(sample: &Sample) -> Shown {
    Shown {
        at: sample.time.as_secs_f64(),
        requests: sample.requests,
        corpus: sample.corpus,
        answers: sample.seen,
        lines: sample.lines,
    }
}

/// Sentences about the campaign as a whole.
fn remarks(
    outcome: &CampaignOutcome,
    coverage: Option<&Coverage>,
    totals: &[String],
) -> Vec<String> {
    let sentence = |line: &String| capital(line) + ".";
    let mut remarks: Vec<String> = totals.iter().map(sentence).collect();
    let ended = match outcome.ended {
        Ended::Limit | Ended::Empty(_) => None,
        Ended::Finding => Some("The campaign ended at the first finding that fails it."),
        Ended::Replayed => Some("The campaign ran each session of the corpus once."),
        Ended::Interrupted => Some("The campaign was interrupted."),
    };
    remarks.extend(ended.map(str::to_owned));
    remarks.push(match coverage {
        Some(coverage) if outcome.status.lines.is_some() => format!(
            "It followed new forms of answers, and new pairs of lines that {} reported.",
            coverage.kind().name()
        ),
        _ if outcome.ended == Ended::Replayed => return remarks,
        _ => "It followed new forms of answers.".to_owned(),
    });
    remarks.extend(
        outcome
            .troubles
            .iter()
            .map(|text| format!("Trouble: {text}")),
    );
    remarks
}

fn counters(outcome: &CampaignOutcome) -> Vec<(String, String)> {
    let status = &outcome.status;
    let number = |count: u64| thousands(usize::try_from(count).unwrap_or(usize::MAX));
    let mut counters = vec![
        ("sessions", number(status.cases)),
        ("requests", number(status.requests)),
        ("requests per second", format!("{:.0}", status.rate())),
        ("processes", number(status.processes)),
        ("corpus", thousands(status.corpus)),
        ("forms of answers", thousands(status.seen)),
    ];
    if let Some(lines) = status.lines {
        counters.push(("pairs of lines", thousands(lines)));
    }
    let since = clock(status.since_new.as_secs_f64());
    counters.push(("last new", format!("{since} before the end")));
    if let (same, all @ 1..) = status.stable {
        let part = 100.0 * same as f64 / all as f64;
        counters.push(("stable", format!("{part:.0} % of {}", number(all))));
    }
    counters.push(("findings", live::findings(status)));
    let counters = counters.into_iter();
    counters
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Which lines ran, or why Stickler does not know.
fn sources(
    args: &FuzzArgs,
    coverage: Option<&Coverage>,
    files: &[PathBuf],
    redactor: &Redactor,
) -> Sources {
    let Some(coverage) = coverage else {
        let why = match args.coverage {
            Wanted::Off => "Stickler does not know which lines ran: `--coverage off` was given.",
            _ if args.replay_only => {
                "Stickler does not know which lines ran: a replay does not follow them."
            }
            _ => {
                "Stickler does not know which lines ran: only Python, bash and Ruby report the lines of \
                 a module."
            }
        };
        return Sources::Unknown(why.to_owned());
    };
    if matches!(coverage.kind(), CoverageKind::Native | CoverageKind::Afl) {
        let why =
            "Stickler does not know which lines ran: a native module reports branches, not lines.";
        return Sources::Unknown(why.to_owned());
    }
    let told = coverage.sources(files);
    if told.is_empty() {
        let why = "Stickler does not know which lines ran: the interpreter reported none of the module's files.";
        return Sources::Unknown(why.to_owned());
    }
    let how = match coverage.kind() {
        CoverageKind::Bash => {
            "These files of the module ran. Bash does not say which lines hold code: blank lines, \
             comments, and lines of only words such as `fi` count as none."
        }
        _ => "These files of the module ran. The interpreter says which lines hold code.",
    };
    let told = told.into_iter().map(|source| file(source, redactor));
    Sources::Known(how.to_owned(), told.collect())
}

fn file(source: Source, redactor: &Redactor) -> SourceFile {
    let remark = "This file changed after the campaign began: marks may be at the wrong lines.";
    let lines = source.lines.into_iter().map(|(mark, text)| {
        let reach = match mark {
            Mark::Reached => Reach::Reached,
            Mark::Missed => Reach::Missed,
            Mark::NoCode => Reach::NoCode,
        };
        (reach, redactor.text(&text))
    });
    SourceFile {
        name: source.name,
        remark: source.changed.then(|| remark.to_owned()),
        lines: lines.collect(),
    }
}
