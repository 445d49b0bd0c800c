//! A web page: one file, without references to others, that needs neither a network nor scripts.
//!
//! Maud escapes all text. Its content policy also forbids each request, and each style and script
//! but our own.

mod evidence;
mod finding;
mod rules;
mod session;

use crate::prose::{Span, spans};
use crate::text::{LINE_FEED, no_command, visible};
use crate::words::{count, hints, thousands};
use crate::{ReportError, block, summary};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use std::io;
use stickler_judge::{Exit, Outcome, Report, Verdict};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

pub(crate) fn render(report: &Report, sink: &mut dyn io::Write) -> Result<(), ReportError> {
    writeln!(sink, "{}", no_command(&page(report).into_string()))?;
    Ok(())
}

fn page(report: &Report) -> Markup {
    let shown = summary::shown(report);
    let advice = report.outcomes.iter();
    let advice = advice.filter(|outcome| outcome.verdict == Verdict::Advice);
    let advice: Vec<&Outcome> = advice.collect();
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(report))
            body {
                header { (top(report, &shown, &advice)) }
                main {
                    (findings(report, "Findings", &shown, &shown))
                    (findings(report, "Advice", &advice, &shown))
                    (rules::table(report))
                }
                footer {
                    p { "Stickler " (env!("CARGO_PKG_VERSION")) ", seed " (report.seed) }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn head(report: &Report) -> Markup {
    let policy = format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; \
         form-action 'none'",
        source(STYLE),
        source(SCRIPT)
    );
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (visible(&report.subject)) ": " (verdict(report).1) " – Stickler" }
            // Without it, browsers ask the server for an icon.
            link rel="icon" href="data:,";
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// How a content policy names an inline style or script.
fn source(text: &str) -> String {
    let digest = BASE64_STANDARD.encode(Sha256::digest(text));
    format!("'sha256-{digest}'")
}

/// The verdict on the whole run: the class of its colour, and a sentence.
fn verdict(report: &Report) -> (&'static str, &'static str) {
    let totals = report.totals();
    match report.exit() {
        Exit::Findings => ("fail", "failed"),
        Exit::Success if totals.fail + totals.flaky > 0 => {
            ("flaky", "passed, but some findings count with --strict")
        }
        Exit::Success => ("pass", "passed"),
        Exit::NothingExercised => ("none", "nothing was judged"),
        _ => ("none", "interrupted"),
    }
}

/// The answer first: the subject, the verdict, the counts, what to do next.
fn top(report: &Report, shown: &[&Outcome], advice: &[&Outcome]) -> Markup {
    let (class, words) = verdict(report);
    html! {
        h1 { (visible(&report.subject)) " " span.verdict.(class) { (words) } }
        ul.facts {
            @for fact in &report.facts { li { (visible(fact)) } }
        }
        ul.counts { (counts(report)) }
        p.dim {
            (summary::effort_in_sessions(report))
            @if !report.location.is_empty() { " · " (visible(&report.location)) }
        }
        @if let Some(remark) = summary::verdict(report) { p.remark { (remark) } }
        @if !report.hints.is_empty() {
            ul.hints { @for hint in hints(report) { li { (sentence(hint)) } } }
        }
        @if shown.len() + advice.len() > 1 {
            nav aria-label="Findings" {
                ol {
                    @for outcome in shown.iter().chain(advice) {
                        li {
                            a href=(format!("#{}", visible(&outcome.code))) {
                                (label(outcome, report.strict)) " " b { (visible(&outcome.code)) }
                            }
                            " " (sentence(&outcome.title))
                        }
                    }
                }
            }
        }
    }
}

fn counts(report: &Report) -> Markup {
    let totals = report.totals();
    let (failed, warnings) = report.failed();
    let all = [
        (failed, "fail", "failed"),
        (
            warnings,
            "flaky",
            if warnings == 1 { "warning" } else { "warnings" },
        ),
        (totals.flaky, "flaky", "flaky"),
        (totals.xpass, "flaky", "xpass"),
        (totals.pass, "pass", "passed"),
        (totals.advice, "advice", "advice"),
        (totals.xfail, "none", "xfail"),
        (totals.waived, "none", "waived"),
        (totals.skipped, "none", "skipped"),
        (totals.not_exercised, "none", "not exercised"),
    ];
    html! {
        @for (number, class, name) in all {
            @if number > 0 || name == "passed" {
                li.(class) { b { (thousands(number)) } " " (name) }
            }
        }
    }
}

fn findings(report: &Report, title: &str, outcomes: &[&Outcome], shown: &[&Outcome]) -> Markup {
    let id = title.to_lowercase();
    html! {
        @if !outcomes.is_empty() {
            section aria-labelledby=(id) {
                h2 id=(id) { (title) " " span.dim { (count(outcomes.len(), "rule")) } }
                @for outcome in outcomes {
                    (finding::article(outcome, report.strict, summary::wider(outcome, shown)))
                }
            }
        }
    }
}

/// The label of an outcome in its colour.
fn label(outcome: &Outcome, strict: bool) -> Markup {
    let (words, _) = block::label(outcome, strict);
    html! { span.label.(class(outcome, strict)) { (words) } }
}

/// The class of an outcome's colour.
fn class(outcome: &Outcome, strict: bool) -> &'static str {
    match outcome.verdict {
        _ if outcome.warns(strict) => "flaky",
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Flaky | Verdict::Xpass => "flaky",
        Verdict::Advice => "advice",
        Verdict::Xfail | Verdict::Waived | Verdict::NotExercised | Verdict::Skipped => "none",
    }
}

/// A sentence, with code between backticks.
fn sentence(text: &str) -> Markup {
    html! {
        @for span in spans(text) {
            @match span {
                Span::Text(words) => { (words) }
                Span::Code(words) => { code { (words) } }
            }
        }
    }
}

/// Text of a subject in a fixed pitch. Lines break after line feeds, but none has only a line feed.
/// The page itself gets no new line, which a CI system could read as a command.
fn raw(text: &str) -> Markup {
    let text = visible(text);
    let mut pieces = text.split_inclusive(LINE_FEED).peekable();
    html! {
        @while let Some(piece) = pieces.next() {
            (piece)
            @let goes_on = pieces.peek().is_some_and(|next| !next.starts_with(LINE_FEED));
            @if goes_on && piece.ends_with(LINE_FEED) { br; }
        }
    }
}
