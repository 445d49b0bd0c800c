//! TAP 14: one test point per rule. What does not fail the run is `# TODO` or `# SKIP`. The
//! evidence is in YAML blocks with double-quoted texts.

use crate::text::visible;
use crate::words::{flat, hints, message, reason, replay};
use crate::{Options, ReportError, summary};
use std::io;
use stickler_judge::{Found, Report, Reported, Verdict};

pub(crate) fn render(
    report: &Report,
    options: &Options,
    sink: &mut dyn io::Write,
) -> Result<(), ReportError> {
    writeln!(sink, "TAP version 14")?;
    let total = report.outcomes.len();
    let why = if total == 0 {
        " # SKIP no rule was selected"
    } else {
        ""
    };
    writeln!(sink, "1..{total}{why}")?;
    for (index, outcome) in report.outcomes.iter().enumerate() {
        point(index + 1, outcome, report.strict, sink)?;
    }
    let facts: Vec<&str> = std::iter::once(&report.subject)
        .chain(&report.facts)
        .map(String::as_str)
        .collect();
    comment(&facts.join(" · "), sink)?;
    comment(&summary::text(report, options.verbose), sink)?;
    comment(&summary::effort_in_sessions(report), sink)?;
    if let Some(verdict) = summary::verdict(report) {
        comment(verdict, sink)?;
    }
    for hint in hints(report) {
        comment(hint, sink)?;
    }
    Ok(())
}

fn comment(text: &str, sink: &mut dyn io::Write) -> io::Result<()> {
    writeln!(sink, "# {}", visible(text))
}

fn point(
    number: usize,
    outcome: &Reported,
    strict: bool,
    sink: &mut dyn io::Write,
) -> io::Result<()> {
    let (ok, directive) = match outcome.verdict {
        Verdict::Pass | Verdict::Advice => (true, None),
        Verdict::Fail | Verdict::Flaky | Verdict::Xpass if outcome.fails(strict) => (false, None),
        Verdict::Fail | Verdict::Flaky | Verdict::Xpass => (
            false,
            Some(format!(
                "TODO a {}, counts only with --strict",
                outcome.level.name()
            )),
        ),
        Verdict::Xfail => (
            false,
            Some(format!("TODO {}", reason(outcome, "known failure"))),
        ),
        Verdict::Waived => (
            true,
            Some(format!(
                "SKIP waived: {}",
                reason(outcome, "no reason given")
            )),
        ),
        Verdict::NotExercised => (
            true,
            Some(format!(
                "SKIP not exercised: {}",
                reason(outcome, "no session tests this")
            )),
        ),
        Verdict::Skipped => (
            true,
            Some(format!("SKIP {}", reason(outcome, "no reason given"))),
        ),
    };
    let result = if ok { "ok" } else { "not ok" };
    let name = escape(&format!("{} {}", outcome.code, outcome.title));
    let directive = directive
        .map(|text| format!(" # {}", visible(&text)))
        .unwrap_or_default();
    writeln!(sink, "{result} {number} - {name}{directive}")?;
    if let Some(fewer) = summary::fewer(outcome) {
        comment(&fewer, sink)?;
    }
    match outcome.verdict {
        Verdict::Fail | Verdict::Flaky | Verdict::Xpass | Verdict::Advice => {
            diagnostics(outcome, sink)
        }
        _ => Ok(()),
    }
}

/// `#` would begin a directive.
fn escape(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('#', "\\#")
}

fn diagnostics(outcome: &Reported, sink: &mut dyn io::Write) -> io::Result<()> {
    writeln!(sink, "  ---")?;
    let mut field = |key: &str, value: &str| writeln!(sink, "  {key}: {}", quote(value));
    field("message", message(outcome))?;
    field("severity", outcome.level.name())?;
    field("verdict", outcome.verdict.name())?;
    if let Some(reproducer) = &outcome.reproducer {
        field("reproducer", reproducer)?;
        field("replay", &replay(reproducer))?;
    }
    writeln!(sink, "  cases: {}", outcome.cases)?;
    if !outcome.findings.is_empty() {
        writeln!(sink, "  findings:")?;
    }
    for found in &outcome.findings {
        finding(found, sink)?;
    }
    writeln!(sink, "  ...")
}

fn finding(found: &Found, sink: &mut dyn io::Write) -> io::Result<()> {
    writeln!(sink, "    - message: {}", quote(&found.message))?;
    writeln!(sink, "      level: {}", quote(found.level.name()))?;
    if let Some(expected) = &found.expected {
        writeln!(sink, "      expected: {}", quote(expected))?;
    }
    if let Some(agent) = &found.agent {
        writeln!(sink, "      agent: {}", quote(agent))?;
    }
    writeln!(sink, "      case: {}", quote(&found.case))?;
    writeln!(sink, "      context: {}", quote(&found.context))?;
    writeln!(sink, "      more: {}", found.more)?;
    if !found.others.is_empty() {
        writeln!(sink, "      others:")?;
    }
    for other in &found.others {
        writeln!(sink, "        - {}", quote(other))?;
    }
    if !found.excerpt.is_empty() {
        writeln!(sink, "      excerpt:")?;
    }
    for line in &found.excerpt {
        writeln!(sink, "        - {}", quote(&flat(line)))?;
    }
    Ok(())
}

/// A double-quoted scalar. After [`visible`] it contains only printable characters, so only the
/// quote and the backslash need an escape.
fn quote(text: &str) -> String {
    let text = visible(text).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}
