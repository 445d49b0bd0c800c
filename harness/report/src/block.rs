//! Shows a rule that did not pass, as a block of lines that fits on a screen.

use crate::Options;
use crate::excerpt::{self, INDENT};
use crate::line::{BOLD, CYAN, DIM, Line, PLAIN, RED, YELLOW};
use crate::text::{cut, visible, wrap};
use crate::words;
use anstyle::Style;
use stickler_judge::{Found, Reported, Verdict};

/// The most lines of a message.
const MESSAGE: usize = 4;
/// How many findings of other kinds are shown briefly.
const KINDS: usize = 3;
/// How many other texts of the same defect are shown.
const SUCH: usize = 2;
/// The column of values below the excerpt, counted from the indent.
const VALUES: usize = 9;

/// The label of an outcome and its colour. A failure that does not fail the run is a warning.
pub(crate) fn label(outcome: &Reported, strict: bool) -> (&'static str, Style) {
    if outcome.warns(strict) {
        return ("WARN", YELLOW);
    }
    verdict_label(outcome.verdict)
}

/// The label of a verdict and its colour.
pub(crate) fn verdict_label(verdict: Verdict) -> (&'static str, Style) {
    match verdict {
        Verdict::Pass => ("PASS", PLAIN),
        Verdict::Fail => ("FAIL", RED),
        Verdict::Flaky => ("FLAKY", YELLOW),
        Verdict::Advice => ("ADVICE", CYAN),
        Verdict::Xfail => ("XFAIL", DIM),
        Verdict::Xpass => ("XPASS", YELLOW),
        Verdict::Waived => ("WAIVED", DIM),
        Verdict::NotExercised => ("NOT EXERCISED", DIM),
        Verdict::Skipped => ("SKIPPED", DIM),
    }
}

/// Begins a line with a label and the code.
fn start(label: (&str, Style), outcome: &Reported) -> Line {
    start_after("", label, outcome)
}

fn start_after(before: &str, (label, style): (&str, Style), outcome: &Reported) -> Line {
    Line::default()
        .add(DIM, before)
        .add(style, &format!("{label:<5}"))
        .add(PLAIN, " ")
        .add(BOLD, &outcome.code)
        .add(PLAIN, "  ")
}

/// The block of an outcome: what happened, where, the evidence, what to do.
pub(crate) fn block(outcome: &Reported, strict: bool, options: &Options) -> Vec<Line> {
    let mut lines = header(outcome, strict, options);
    lines.extend(details(outcome, options));
    lines
}

fn header(outcome: &Reported, strict: bool, options: &Options) -> Vec<Line> {
    let columns = options.columns();
    let line = start(label(outcome, strict), outcome)
        .add(DIM, outcome.level.name())
        .add(PLAIN, "  ");
    let first = columns.saturating_sub(line.width());
    let mut texts = wrap(&visible(&outcome.title), first, columns - INDENT).into_iter();
    let mut lines = vec![line.add(BOLD, &texts.next().unwrap_or_default())];
    lines.extend(texts.map(|text| Line::indented(INDENT).add(BOLD, &text)));
    lines
}

/// The block without its first line.
pub(crate) fn details(outcome: &Reported, options: &Options) -> Vec<Line> {
    let columns = options.columns();
    let found = outcome.findings.first();
    let mut lines = says(outcome, found, columns);
    if let Some(found) = found {
        if !found.excerpt.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(excerpt::lines(found, columns));
        lines.extend(agent(found, columns));
        if found.more > 0 {
            let text = format!("also in {}", words::count(found.more, "more case"));
            lines.push(Line::indented(INDENT).add(DIM, &text));
        }
        lines.extend(same_kind(found, columns));
        lines.extend(others(outcome, columns));
    }
    lines.extend(consequences(outcome, columns));
    let mut todo = Vec::new();
    if let Some(reproducer) = &outcome.reproducer {
        // The command is never cut, so that it can be copied.
        todo.push(value("replay", &words::replay(reproducer)));
    }
    if options.explain_hint && words::is_code(&outcome.code) {
        todo.push(value("fix", &format!("stickler explain {}", outcome.code)));
    }
    if !todo.is_empty() {
        lines.push(Line::default());
        lines.extend(todo);
    }
    lines
}

/// Where it happened and what happened, as one paragraph.
fn says(outcome: &Reported, found: Option<&Found>, columns: usize) -> Vec<Line> {
    let context = found.map_or("", |found| found.context.as_str());
    let message = found
        .map(|found| found.message.as_str())
        .or(outcome.message.as_deref())
        .filter(|message| *message != outcome.title)
        .unwrap_or_default();
    let text = match (context.is_empty(), message.is_empty()) {
        (false, false) => format!("{context}: {message}"),
        _ => format!("{context}{message}"),
    };
    let room = columns - INDENT;
    let seen = visible(&text);
    let mut wrapped = wrap(&seen, room, room);
    if wrapped.len() > MESSAGE {
        // Words do not fill lines completely, so a tenth of the space is left free.
        wrapped = wrap(&cut(&seen, room * MESSAGE * 9 / 10), room, room);
    }
    wrapped
        .iter()
        .map(|text| Line::indented(INDENT).add(PLAIN, text))
        .collect()
}

/// What a deployed agent would do.
pub(super) fn agent(found: &Found, columns: usize) -> Vec<Line> {
    let Some(told) = &found.agent else {
        return Vec::new();
    };
    let room = columns.saturating_sub(INDENT + VALUES);
    let told = cut(&visible(told), room * MESSAGE * 9 / 10).into_owned();
    let names = std::iter::once("agent").chain(std::iter::repeat(""));
    wrap(&told, room, room)
        .iter()
        .zip(names)
        .map(|(text, name)| value(name, text))
        .collect()
}

/// About what else the same defect was seen, one line each.
fn same_kind(found: &Found, columns: usize) -> Vec<Line> {
    let names = std::iter::once("such as").chain(std::iter::repeat(""));
    let room = columns.saturating_sub(INDENT + VALUES);
    let some = found.others.iter().take(SUCH).zip(names);
    some.map(|(message, name)| value(name, &cut(&visible(message), room)))
        .collect()
}

/// Findings of other kinds, one line each.
fn others(outcome: &Reported, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for found in outcome.findings.iter().skip(1).take(KINDS) {
        let level = if found.level == outcome.level {
            String::new()
        } else {
            format!("{}: ", found.level.name())
        };
        let cases = format!(" ({})", words::count(found.more.saturating_add(1), "case"));
        let room = columns.saturating_sub(INDENT + VALUES + level.len() + cases.len());
        let message = cut(&visible(&found.message), room).into_owned();
        let name = if lines.is_empty() { "also" } else { "" };
        lines.push(value(name, &format!("{level}{message}{cases}")));
    }
    let rest = outcome.findings.len().saturating_sub(1 + KINDS);
    if rest > 0 {
        lines.push(value(
            "",
            &format!("and {}", words::count(rest, "more kind")),
        ));
    }
    lines
}

/// What follows from it in other rules, one line each.
fn consequences(outcome: &Reported, columns: usize) -> Vec<Line> {
    let names = std::iter::once("follows").chain(std::iter::repeat(""));
    let all = words::consequences(outcome).into_iter();
    let each = all.zip(names).map(|((codes, message), name)| {
        let room = columns.saturating_sub(INDENT + VALUES + codes.len() + 2);
        let message = cut(&visible(message), room).into_owned();
        value(name, &format!("{}  {message}", visible(&codes)))
    });
    each.collect()
}

pub(crate) fn value(name: &str, text: &str) -> Line {
    Line::indented(INDENT)
        .add(DIM, name)
        .to(INDENT + VALUES)
        .add(PLAIN, text)
}

/// A failure in one line, while the run goes on: where and what, as far as they fit.
pub(crate) fn so_far(outcome: &Reported, strict: bool, options: &Options) -> Line {
    let columns = options.columns();
    let line = start_after("so far: ", label(outcome, strict), outcome)
        .add(DIM, outcome.level.name())
        .add(PLAIN, "  ");
    let room = columns.saturating_sub(line.width());
    let context = outcome.findings.first().map_or("", |found| &found.context);
    // The case's name tells little here.
    let items = context
        .rsplit_once(" — ")
        .map_or(context, |(items, _)| items);
    let items = cut(&visible(items), room / 2).into_owned();
    let message = visible(words::message(outcome)).into_owned();
    let text = if items.is_empty() {
        message
    } else {
        format!("{items}: {message}")
    };
    line.add(PLAIN, &cut(&text, room))
}

/// An outcome in one line, with the number of its cases if it has findings.
pub(crate) fn brief(outcome: &Reported, text: &str, options: &Options) -> Line {
    let line = start(verdict_label(outcome.verdict), outcome);
    let cases = words::count(words::cases(&outcome.findings), "case");
    let tail = match outcome.findings.len() {
        0 => String::new(),
        1 => format!(" ({cases})"),
        kinds => format!(" ({kinds} kinds, {cases})"),
    };
    let room = options.columns().saturating_sub(line.width() + tail.len());
    line.add(PLAIN, &cut(&visible(text), room)).add(DIM, &tail)
}
