//! For people: first the result, then the evidence, then what to do.

use crate::line::{BOLD, DIM, Line, PLAIN};
use crate::text::{cut, visible, width, wrap};
use crate::{Options, ReportError, block, summary, words};
use std::io;
use stickler_judge::{Report, Reported, Verdict};

pub(crate) fn render(
    report: &Report,
    options: &Options,
    sink: &mut dyn io::Write,
) -> Result<(), ReportError> {
    for line in lines(report, options) {
        line.write(options.color, sink)?;
    }
    Ok(())
}

fn lines(report: &Report, options: &Options) -> Vec<Line> {
    let columns = options.columns();
    let mut lines = headline(report, columns);
    let blocks = summary::shown(report);
    for outcome in &blocks {
        lines.push(Line::default());
        lines.extend(block::block(outcome, report.strict, options));
        if let Some(wider) = summary::wider(outcome, &blocks) {
            let text = format!("{wider}, which fails in the same exchanges");
            lines.push(block::value("see", &text));
        }
    }
    let mut asides = Vec::new();
    for outcome in with(report, Verdict::Advice) {
        if options.verbose {
            lines.push(Line::default());
            lines.extend(block::block(outcome, report.strict, options));
        } else {
            asides.push(block::brief(outcome, words::message(outcome), options));
            // An advice for whoever blames the subject.
            let first = outcome.findings.first();
            asides.extend(
                first
                    .map(|found| block::agent(found, columns))
                    .into_iter()
                    .flatten(),
            );
        }
    }
    if options.verbose {
        for verdict in [Verdict::Xfail, Verdict::Waived] {
            for outcome in with(report, verdict) {
                let text = match &outcome.message {
                    Some(reason) => format!("{} — {reason}", outcome.title),
                    None => outcome.title.clone(),
                };
                asides.push(block::brief(outcome, &text, options));
            }
        }
    }
    section(&mut lines, asides);
    if options.verbose {
        section(&mut lines, unjudged(report, Verdict::Skipped, columns));
        section(&mut lines, unjudged(report, Verdict::NotExercised, columns));
    }
    let compact = lines.len() == 1;
    if !compact {
        lines.push(Line::default());
    }
    lines.extend(ending(report, options, blocks.is_empty()));
    lines
}

fn section(lines: &mut Vec<Line>, section: Vec<Line>) {
    if !section.is_empty() {
        lines.push(Line::default());
        lines.extend(section);
    }
}

fn with(report: &Report, verdict: Verdict) -> impl Iterator<Item = &Reported> {
    report
        .outcomes
        .iter()
        .filter(move |outcome| outcome.verdict == verdict)
}

fn headline(report: &Report, columns: usize) -> Vec<Line> {
    let subject = visible(&report.subject);
    let mut line = Line::default().add(BOLD, &cut(&subject, columns));
    let mut lines = Vec::new();
    for fact in &report.facts {
        let fact = visible(fact);
        let fact = cut(&fact, columns - 2);
        if line.width() + 3 + width(&fact) > columns {
            lines.push(std::mem::take(&mut line));
            line = Line::indented(2);
        } else {
            line = line.add(DIM, " · ");
        }
        line = line.add(PLAIN, &fact);
    }
    lines.push(line);
    lines
}

/// Each rule that was not judged, with its reason.
fn unjudged(report: &Report, verdict: Verdict, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for outcome in with(report, verdict) {
        if lines.is_empty() {
            let (label, style) = block::verdict_label(verdict);
            lines.push(Line::default().add(style, label));
        }
        let line = Line::indented(6).add(BOLD, &outcome.code).add(PLAIN, "  ");
        let text = match &outcome.message {
            Some(reason) => format!("{} — {reason}", outcome.title),
            None => outcome.title.clone(),
        };
        let start = line.width();
        let room = columns.saturating_sub(start);
        let mut texts = wrap(&visible(&text), room, room).into_iter();
        lines.push(line.add(PLAIN, &texts.next().unwrap_or_default()));
        lines.extend(texts.map(|text| Line::indented(start).add(PLAIN, &text)));
    }
    lines
}

fn ending(report: &Report, options: &Options, well: bool) -> Vec<Line> {
    let columns = options.columns();
    let mut lines = summary::lines(report, options.verbose, columns);
    let effort = summary::effort(report);
    match lines.as_mut_slice() {
        [line] if well && line.width() + 3 + width(&effort) <= columns => {
            *line = std::mem::take(line).add(PLAIN, "   ").add(DIM, &effort);
        }
        _ => {
            let effort = summary::effort_in_sessions(report);
            lines.push(Line::default().add(DIM, &effort));
        }
    }
    for hint in words::hints(report) {
        let wrapped = wrap(&visible(hint), columns, columns);
        lines.extend(wrapped.iter().map(|text| Line::plain(text)));
    }
    let (style, conclusion) = summary::conclusion(report);
    let room = match options.whole_conclusion {
        true => usize::MAX,
        false => columns,
    };
    let wrapped = wrap(&conclusion, room, room);
    lines.extend(wrapped.iter().map(|text| Line::default().add(style, text)));
    lines
}
