//! Workflow commands of GitHub Actions: an annotation for each rule that did
//! not pass, its evidence in a folded group, and a summary.

use crate::line::Line;
use crate::source::{Source, source};
use crate::text::visible;
use crate::words::{hints, message, replay};
use crate::{Options, ReportError, block, summary};
use std::io;
use stickler_judge::{Report, Reported, Verdict};

pub(crate) fn render(
    report: &Report,
    options: &Options,
    sink: &mut dyn io::Write,
) -> Result<(), ReportError> {
    let options = options.plain();
    let shown = summary::shown(report);
    // GitHub shows the first ten of each kind per step, so the most serious come first.
    for outcome in &shown {
        let kind = if outcome.fails(report.strict) {
            "error"
        } else {
            "warning"
        };
        annotate(kind, outcome, report, sink)?;
    }
    let advice = report
        .outcomes
        .iter()
        .filter(|outcome| outcome.verdict == Verdict::Advice);
    for outcome in advice {
        annotate("notice", outcome, report, sink)?;
    }
    for outcome in &shown {
        let (label, _) = block::label(outcome, report.strict);
        let head = format!(
            "{label} {} {} {}",
            outcome.code,
            outcome.level.name(),
            outcome.title
        );
        writeln!(sink, "::group::{}", data(&visible(&head)))?;
        for line in block::details(outcome, &options) {
            line.write(false, sink)?;
        }
        writeln!(sink, "::endgroup::")?;
    }
    let summary = format!(
        "{}: {} — {}",
        report.subject,
        summary::text(report, options.verbose),
        summary::effort_in_sessions(report)
    );
    Line::plain(&summary).write(false, sink)?;
    if let Some(verdict) = summary::verdict(report) {
        writeln!(sink, "::warning title=Stickler::{}", data(verdict))?;
    }
    for hint in hints(report) {
        Line::plain(hint).write(false, sink)?;
    }
    Ok(())
}

fn annotate(
    kind: &str,
    outcome: &Reported,
    report: &Report,
    sink: &mut dyn io::Write,
) -> io::Result<()> {
    let found = outcome.findings.first();
    let mut lines = vec![message(outcome).to_owned()];
    if outcome.message.is_some() {
        lines.push(format!("Required: {}", outcome.title));
    }
    if let Some(expected) = found.and_then(|found| found.expected.as_ref()) {
        lines.push(format!("Expected: {expected}"));
    }
    if let Some(agent) = found.and_then(|found| found.agent.as_ref()) {
        lines.push(format!("Agent: {agent}"));
    }
    if let Some(found) = found.filter(|found| !found.context.is_empty()) {
        lines.push(format!("Case: {}", found.context));
    }
    if let Some(reproducer) = &outcome.reproducer {
        lines.push(format!("Replay: {}", replay(reproducer)));
    }
    let lines: Vec<String> = lines
        .iter()
        .map(|line| visible(line).into_owned())
        .collect();
    let title = property(&visible(&outcome.code));
    let file = match (
        found.and_then(|found| source(report, found)),
        report.location.as_str(),
    ) {
        (Some(Source { file, line }), _) => {
            format!("file={},line={line},", property(&visible(file)))
        }
        (None, "") => String::new(),
        (None, path) => format!("file={},", property(&visible(path))),
    };
    writeln!(
        sink,
        "::{kind} {file}title={title}::{}",
        data(&lines.join("\n"))
    )
}

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
