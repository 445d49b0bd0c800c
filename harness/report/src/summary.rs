//! The last lines: the counts, and why some rules were not judged.

use crate::line::{DIM, GREEN, Line, PLAIN, RED, YELLOW};
use crate::text::{cut_end, visible, width};
use crate::words::{count, duration, plural, thousands};
use anstyle::Style;
use std::borrow::Cow;
use std::cmp::Reverse;
use stickler_judge::{Exit, Level, Report, Reported, Verdict};

/// The most codes that are listed.
const CODES: usize = 6;
/// The most codes that the last line lists.
const LAST_CODES: usize = 16;
/// The most reasons that are shown.
const REASONS: usize = 3;
/// The columns for one reason.
const REASON: usize = 160;

/// A part of the summary.
pub(crate) struct Part {
    style: Style,
    /// Number and name: `2 failed`.
    name: String,
    /// An explanation after a space, or nothing.
    remark: String,
}

/// The parts, without those that count nothing. Passes are always shown.
pub(crate) fn parts(report: &Report, verbose: bool) -> Vec<Part> {
    let totals = report.totals();
    let (failed, warnings) = report.failed();
    let mut parts = Vec::new();
    let mut part = |number: usize, style: Style, name: &str, remark: String| {
        let name = format!("{} {name}", thousands(number));
        parts.push(Part {
            style,
            name,
            remark,
        });
    };
    if failed > 0 {
        part(failed, RED, "failed", String::new());
    }
    if warnings > 0 {
        let name = plural(warnings, "warning");
        part(warnings, YELLOW, &name, String::new());
    }
    if totals.flaky > 0 {
        part(totals.flaky, YELLOW, "flaky", lenient(report));
    }
    if totals.xpass > 0 {
        part(totals.xpass, YELLOW, "xpass", String::new());
    }
    part(
        totals.pass,
        if totals.pass > 0 { GREEN } else { PLAIN },
        "passed",
        partly(report),
    );
    for (number, name) in [
        (totals.advice, "advice"),
        (totals.xfail, "xfail"),
        (totals.waived, "waived"),
    ] {
        if number > 0 {
            part(number, PLAIN, name, String::new());
        }
    }
    if totals.skipped > 0 {
        part(
            totals.skipped,
            PLAIN,
            "skipped",
            unjudged(report, Verdict::Skipped, verbose),
        );
    }
    if totals.not_exercised > 0 {
        let why = unjudged(report, Verdict::NotExercised, verbose);
        part(totals.not_exercised, PLAIN, "not exercised", why);
    }
    parts
}

/// If a rule passed without some of its sessions, says so.
pub(crate) fn fewer(outcome: &Reported) -> Option<String> {
    let sessions = count(outcome.not_held, "session");
    (outcome.not_held > 0).then(|| format!("passed, but {sessions} of this rule did not run"))
}

/// How many rules passed without some of their sessions.
fn partly(report: &Report) -> String {
    let fewer = report
        .outcomes
        .iter()
        .filter(|one| one.not_held > 0)
        .count();
    match fewer {
        0 => String::new(),
        fewer => format!(" ({} without some of their sessions)", thousands(fewer)),
    }
}

/// If flaky rules do not fail the run, says which option would make them.
fn lenient(report: &Report) -> String {
    let of: Vec<&Reported> = report
        .outcomes
        .iter()
        .filter(|outcome| outcome.verdict == Verdict::Flaky)
        .collect();
    let lenient = of
        .iter()
        .filter(|outcome| !outcome.fails(report.strict))
        .count();
    match lenient {
        0 => String::new(),
        all if all == of.len() => " (counts only with --strict)".to_owned(),
        some => format!(" ({} of them only with --strict)", thousands(some)),
    }
}

/// The reasons why rules were not judged, the most frequent first.
fn unjudged(report: &Report, verdict: Verdict, verbose: bool) -> String {
    let of: Vec<&Reported> = report
        .outcomes
        .iter()
        .filter(|outcome| outcome.verdict == verdict)
        .collect();
    let mut groups: Vec<(Option<Cow<'_, str>>, Vec<&str>)> = Vec::new();
    for outcome in &of {
        // What follows is told with its cause.
        let reason = match &outcome.explained_by {
            Some(cause) => Some(Cow::from(format!("follows from {cause}"))),
            None => outcome.message.as_deref().map(Cow::from),
        };
        match groups.iter_mut().find(|group| group.0 == reason) {
            Some(group) => group.1.push(&outcome.code),
            None => groups.push((reason, vec![&outcome.code])),
        }
    }
    groups.sort_by_key(|(reason, codes)| (reason.is_none(), Reverse(codes.len())));
    let few = of.len() <= CODES;
    if !few && let [(Some(reason), _)] = groups.as_slice() {
        return format!(" ({})", cut_end(&visible(reason.as_ref()), REASON));
    }
    let mut told = Vec::new();
    let mut rest = 0;
    for (index, (reason, codes)) in groups.iter().enumerate() {
        let who = if few {
            codes.join(" ")
        } else {
            thousands(codes.len())
        };
        match reason {
            Some(reason) if index < REASONS => {
                told.push(format!(
                    "{who}: {}",
                    cut_end(&visible(reason.as_ref()), REASON)
                ));
            }
            None if few => told.push(who),
            _ => rest += codes.len(),
        }
    }
    let place = if verbose {
        "listed above"
    } else {
        "see --verbose"
    };
    if rest > 0 && told.is_empty() {
        told.push(place.to_owned());
    } else if rest > 0 {
        told.push(format!("{}: {place}", thousands(rest)));
    }
    format!(" ({})", told.join("; "))
}

/// The exchanges, short form: `388 exchanges, 1.9 s`.
pub(crate) fn effort(report: &Report) -> String {
    format!(
        "{}, {}",
        count(report.exchanges, "exchange"),
        duration(report.seconds)
    )
}

/// The exchanges, long form: `412 exchanges in 61 sessions, 2.1 s`.
pub(crate) fn effort_in_sessions(report: &Report) -> String {
    format!(
        "{} in {}, {}",
        count(report.exchanges, "exchange"),
        count(report.sessions, "session"),
        duration(report.seconds)
    )
}

/// The summary as plain text: `rules: 2 failed, 84 passed`.
pub(crate) fn text(report: &Report, verbose: bool) -> String {
    let texts: Vec<String> = parts(report, verbose)
        .into_iter()
        .map(|part| part.name + &part.remark)
        .collect();
    format!("rules: {}", texts.join(", "))
}

/// The summary in one line for a table of several reports, with the codes that fail.
pub fn in_short(report: &Report) -> String {
    let fails = report
        .outcomes
        .iter()
        .filter(|one| one.fails(report.strict));
    let codes: Vec<&str> = fails.map(|one| &one.code[..]).collect();
    let parts = parts(report, false).into_iter().map(|part| part.name);
    let mut text = parts.collect::<Vec<_>>().join(", ");
    if !codes.is_empty() {
        let listed = codes.iter().take(CODES).copied().collect::<Vec<_>>();
        let more = if codes.len() > CODES { " …" } else { "" };
        text.push_str(&format!("  ({}{more})", listed.join(" ")));
    }
    text
}

/// The summary in lines of this many columns. A longer part is wrapped.
pub(crate) fn lines(report: &Report, verbose: bool, columns: usize) -> Vec<Line> {
    let mut words = vec![(PLAIN, "rules:".to_owned())];
    let parts = parts(report, verbose);
    for (index, part) in parts.iter().enumerate() {
        let comma = if index + 1 < parts.len() { "," } else { "" };
        let (name, remark) = match part.remark.trim_start() {
            "" => (format!("{}{comma}", part.name), String::new()),
            remark => (part.name.clone(), format!("{}{comma}", visible(remark))),
        };
        words.extend(name.split(' ').map(|word| (part.style, word.to_owned())));
        words.extend(remark.split(' ').map(|word| (DIM, word.to_owned())));
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut line = Line::default();
    let mut before = PLAIN;
    for (style, word) in words.iter().filter(|(_, word)| !word.is_empty()) {
        if line.width() > 0 && line.width() + 1 + width(word) > columns {
            lines.push(std::mem::take(&mut line));
            line = Line::indented(2);
        } else if line.width() > 0 {
            line = line.add(if *style == before { before } else { PLAIN }, " ");
        }
        before = *style;
        line = line.add(*style, word);
    }
    lines.push(line);
    lines
}

/// The answer in one line, the gravest first.
pub(crate) fn conclusion(report: &Report) -> (Style, String) {
    let (_, warnings) = report.failed();
    let warned = count(warnings, "warning");
    match report.exit() {
        Exit::Findings => {
            let mut said = Vec::new();
            for level in [Level::Must, Level::Should, Level::May] {
                let of = |one: &&Reported| one.verdict.is_failure() && one.level == level;
                let name = format!("of level {}", level.name());
                said.extend(failing(report, of, |number| {
                    format!("{} {name}", count(number, "rule"))
                }));
            }
            let of = |one: &&Reported| one.verdict == Verdict::Xpass;
            said.extend(failing(report, of, |number| {
                count(number, "declared failure") + " no longer true"
            }));
            if warnings > 0 {
                said.push(warned);
            }
            (RED, format!("FAILED: {}", said.join(", ")))
        }
        Exit::Success if report.without_examples => {
            let mut text = format!("nothing failed: {} judged", of_all(report));
            if warnings > 0 {
                text.push_str(&format!(", {warned}"));
            }
            (YELLOW, text + &unjudged_in_words(report))
        }
        Exit::Success if warnings > 0 => {
            let text = format!(
                "passed: {}, {warned} (--strict turns warnings into failures){}",
                of_all(report),
                unjudged_in_words(report)
            );
            (YELLOW, text)
        }
        Exit::Success => {
            let text = format!("passed: {}{}", of_all(report), unjudged_in_words(report));
            (GREEN, text)
        }
        _ => match verdict(report) {
            Some(verdict) if report.outcomes.is_empty() => (YELLOW, verdict.to_owned()),
            Some(verdict) => {
                let text = format!(
                    "{verdict}: {} judged{}",
                    of_all(report),
                    unjudged_in_words(report)
                );
                (YELLOW, text)
            }
            None => (YELLOW, "interrupted: not all rules were judged".to_owned()),
        },
    }
}

/// How many of all rules were judged: `11 of 54 rules`.
fn of_all(report: &Report) -> String {
    let all = count(report.outcomes.len(), "rule");
    format!("{} of {all}", thousands(report.judged()))
}

/// How many rules were not judged, and what the author could add for some of them.
fn unjudged_in_words(report: &Report) -> String {
    let unjudged = report.outcomes.len() - report.judged();
    if unjudged == 0 {
        return String::new();
    }
    let wanted = report.wanted().into_iter();
    let wanted = wanted.map(|(what, number)| format!("{} for want of {what}", thousands(number)));
    let wanted: Vec<String> = wanted.collect();
    let mut text = format!(", {} not exercised", thousands(unjudged));
    if !wanted.is_empty() {
        text.push_str(&format!(": {}", wanted.join(", ")));
    }
    text
}

/// Rules that fail the run, in words, with their codes.
fn failing(
    report: &Report,
    of: impl Fn(&&Reported) -> bool,
    words: impl Fn(usize) -> String,
) -> Option<String> {
    let outcomes = report.outcomes.iter();
    let outcomes = outcomes.filter(|one| one.fails(report.strict) && of(one));
    let codes: Vec<&str> = outcomes.map(|one| &one.code[..]).collect();
    let more = if codes.len() > LAST_CODES { " …" } else { "" };
    let listed = codes.iter().take(LAST_CODES).copied().collect::<Vec<_>>();
    (!codes.is_empty()).then(|| format!("{} ({}{more})", words(codes.len()), listed.join(" ")))
}

/// A remark about the run as a whole, independent of the counts.
pub(crate) fn verdict(report: &Report) -> Option<&'static str> {
    match report.exit() {
        Exit::NothingExercised if report.outcomes.is_empty() => {
            Some("this says nothing about the subject, since no rule was selected")
        }
        Exit::NothingExercised if report.lacks_time() => Some(
            "this proves too little, since the run ended before each rule of level must was exercised",
        ),
        Exit::NothingExercised if report.idle => Some(
            "this says little about the subject, since an example was not evaluated, or never succeeded",
        ),
        Exit::NothingExercised if report.without_examples && report.judged() > 0 => {
            Some("this says little about the subject, since there is no example")
        }
        Exit::NothingExercised if report.judged() > 0 => Some(
            "this says little about the subject, since most rules of level must were not judged",
        ),
        Exit::NothingExercised => {
            Some("this says nothing about the subject, since nothing was exercised")
        }
        _ => None,
    }
}

/// A rule that fails wherever this one does, at the same or a higher level: usually both report one
/// defect. If two fail in the same places, the first one.
pub(crate) fn wider<'o>(outcome: &Reported, shown: &[&'o Reported]) -> Option<&'o str> {
    let places = &outcome.places.broken;
    if places.is_empty() || places.iter().any(|place| place.exchange.is_none()) {
        return None;
    }
    let at = shown.iter().position(|other| other.code == outcome.code)?;
    let wider = shown.iter().enumerate().filter(|(index, other)| {
        let holds = places.is_subset(&other.places.broken) && other.level >= outcome.level;
        holds && (other.places.broken.len() > places.len() || *index < at)
    });
    let nearest = wider.min_by_key(|(_, other)| other.places.broken.len());
    nearest.map(|(_, other)| &other.code[..])
}

/// First failures of level must, then other failures, then flaky ones and stale expectations.
pub(crate) fn shown(report: &Report) -> Vec<&Reported> {
    let rank = |outcome: &Reported| match outcome.verdict {
        Verdict::Fail if outcome.level == Level::Must => Some(0),
        Verdict::Fail => Some(1),
        Verdict::Flaky => Some(2),
        Verdict::Xpass => Some(3),
        _ => None,
    };
    let mut shown: Vec<(i32, &Reported)> = report
        .outcomes
        .iter()
        .filter_map(|outcome| Some((rank(outcome)?, outcome)))
        .collect();
    // What explains most comes first.
    shown.sort_by_key(|(rank, outcome)| (*rank, Reverse(outcome.explains.len())));
    shown.into_iter().map(|(_, outcome)| outcome).collect()
}
