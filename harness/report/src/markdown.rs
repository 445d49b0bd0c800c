//! Markdown for the summary of a step in GitHub Actions, and for other pages that allow HTML in
//! Markdown.
//!
//! All text from a subject is inside HTML blocks. There, Markdown has no meaning, and escaping HTML
//! is enough. Such a block ends at an empty line, so no block contains one.

use crate::prose::{Span, spans};
use crate::text::{cut, no_command, visible};
use crate::words::{consequences, count, flat, hints, is_code, message, replay, thousands};
use crate::{ReportError, block, summary};
use maud::{Markup, html};
use std::io;
use stickler_judge::{Exit, Found, Report, Reported, Verdict};

/// The longest report in bytes. GitHub drops a step's summary of more than 1 MiB, and a step may
/// check several subjects.
const MOST: usize = 256 << 10;
/// How many lines of evidence are shown of a finding.
const LINES: usize = 40;
/// The longest text of a line or paragraph, in columns.
const COLUMNS: usize = 600;

pub(crate) fn render(report: &Report, sink: &mut dyn io::Write) -> Result<(), ReportError> {
    let mut text = head(report);
    let shown = summary::shown(report);
    let advice = report.outcomes.iter();
    let advice = advice.filter(|outcome| outcome.verdict == Verdict::Advice);
    let all: Vec<&Reported> = shown.into_iter().chain(advice).collect();
    for (index, outcome) in all.iter().enumerate() {
        let block = finding(outcome, report.strict).into_string();
        if text.len() + block.len() > MOST {
            let rest = count(all.len() - index, "more finding");
            text.push_str(&format!("\n{rest}: see the other reports of this run.\n"));
            break;
        }
        text.push_str(&format!("\n{block}\n"));
    }
    sink.write_all(no_command(&text).as_bytes())?;
    Ok(())
}

/// The subject, the counts and the hints.
fn head(report: &Report) -> String {
    let sign = match report.exit() {
        Exit::Findings => "❌",
        Exit::Success => "✅",
        _ => "❔",
    };
    let title = html! { h3 { (sign) " Stickler: " (text(&report.subject)) } };
    let facts: Vec<_> = report.facts.iter().map(|fact| short(fact)).collect();
    let facts = html! { p { (text(&facts.join(" · "))) } };
    let mut head = format!("{}\n\n{}\n", title.into_string(), facts.into_string());
    let totals = report.totals();
    let (failed, warnings) = report.failed();
    let columns = [
        ("failed", failed),
        ("warnings", warnings),
        ("flaky", totals.flaky),
        ("xpass", totals.xpass),
        ("passed", totals.pass),
        ("advice", totals.advice),
        ("xfail", totals.xfail),
        ("waived", totals.waived),
        ("skipped", totals.skipped),
        ("not exercised", totals.not_exercised),
    ];
    let columns = columns.iter();
    let columns: Vec<_> = columns
        .filter(|(name, number)| *number > 0 || *name == "passed")
        .collect();
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    head.push('\n');
    head.push_str(&row(columns.iter().map(|it| it.0.to_owned()).collect()));
    head.push_str(&row(columns.iter().map(|_| "--:".to_owned()).collect()));
    head.push_str(&row(columns.iter().map(|it| thousands(it.1)).collect()));
    head.push_str(&format!("\n{}\n", summary::effort_in_sessions(report)));
    if let Some(verdict) = summary::verdict(report) {
        head.push_str(&format!("\n{verdict}\n"));
    }
    for hint in hints(report) {
        let hint = html! { p { (sentence(hint)) } };
        head.push_str(&format!("\n{}\n", hint.into_string()));
    }
    head
}

fn finding(outcome: &Reported, strict: bool) -> Markup {
    let (label, _) = block::label(outcome, strict);
    let found = outcome.findings.first();
    html! {
        details {
            summary {
                b { (label) " " (text(&outcome.code)) } " " (outcome.level.name()) ": "
                (sentence(&outcome.title))
            }
            p { (sentence(message(outcome))) }
            @if let Some(found) = found { (evidence(found)) }
            @for (codes, message) in consequences(outcome) {
                p { "follows: " b { (text(&codes)) } " " (sentence(message)) }
            }
            p {
                @if let Some(reproducer) = &outcome.reproducer {
                    "replay: " code { (text(&replay(reproducer))) } br;
                }
                @if is_code(&outcome.code) {
                    "why: " code { "stickler explain " (text(&outcome.code)) }
                }
            }
        }
    }
}

fn evidence(found: &Found) -> Markup {
    let lines = found.excerpt.iter().take(LINES);
    let lines: Vec<String> = lines.map(|line| short(&flat(line))).collect();
    let rest = found.excerpt.len().saturating_sub(LINES);
    html! {
        @if !found.context.is_empty() { p { (sentence(&found.context)) } }
        @if !lines.is_empty() {
            pre {
                @for line in lines { (text(&line)) "\n" }
                @if rest > 0 { "… " (count(rest, "more line")) "\n" }
            }
        }
        @if let Some(expected) = &found.expected { p { "expected: " (sentence(expected)) } }
        @if let Some(agent) = &found.agent { p { "agent: " (sentence(agent)) } }
        @if found.more > 0 { p { "also in " (count(found.more, "more case")) } }
    }
}

fn short(text: &str) -> String {
    cut(&visible(text), COLUMNS).into_owned()
}

fn sentence(sentence: &str) -> Markup {
    html! {
        @for span in spans(&short(sentence)) {
            @match span {
                Span::Text(words) => { (text(&words)) }
                Span::Code(words) => { code { (words) } }
            }
        }
    }
}

/// Text that mentions nobody: GitHub looks for names after an `@` in the same piece of text.
fn text(text: &str) -> Markup {
    let text = visible(text);
    html! {
        @for (index, part) in text.split('@').enumerate() {
            @if index > 0 { span { "@" } }
            (part)
        }
    }
}
