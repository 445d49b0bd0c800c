//! A web page: one file, without references to others, that needs neither a network nor scripts.
//!
//! Maud escapes all text. Its content policy also forbids each request, and each style and script
//! but our own.

pub(crate) mod campaign;
mod evidence;
mod finding;
mod plots;
mod rules;
mod session;
mod source;

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

/// How a page looks, and what it does.
#[derive(Clone, Copy)]
struct Look {
    style: &'static str,
    script: Option<&'static str>,
}

fn page(report: &Report) -> Markup {
    let shown = summary::shown(report);
    let advice = report.outcomes.iter();
    let advice = advice.filter(|outcome| outcome.verdict == Verdict::Advice);
    let advice: Vec<&Outcome> = advice.collect();
    let title = format!("{}: {}", report.subject, verdict(report).1);
    let body = html! {
        header { (top(report, &shown, &advice)) }
        main {
            (findings(report, "Findings", &shown, &shown))
            (findings(report, "Advice", &advice, &shown))
            (rules::table(report))
        }
    };
    let look = Look {
        style: STYLE,
        script: Some(SCRIPT),
    };
    document(&title, look, &body)
}

/// A whole document.
fn document(title: &str, look: Look, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, &look))
            body {
                (body)
                @if let Some(script) = look.script { script { (PreEscaped(script)) } }
            }
        }
    }
}

fn head(title: &str, look: &Look) -> Markup {
    let scripts = look.script.map_or_else(|| "'none'".to_owned(), source_of);
    let policy = format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {scripts}; base-uri 'none'; \
         form-action 'none'",
        source_of(look.style)
    );
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (visible(title)) " – Stickler" }
            // Without it, browsers ask the server for an icon.
            link rel="icon" href="data:,";
            style { (PreEscaped(look.style)) }
        }
    }
}

/// How a content policy names an inline style or script.
fn source_of(text: &str) -> String {
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
    let (class, _) = verdict(report);
    let (_, answer) = summary::conclusion(report);
    html! {
        h1 { (visible(&report.subject)) }
        p.conclusion.(class) { (sentence(&answer)) }
        ul.facts {
            @for fact in &report.facts { li { (visible(fact)) } }
        }
        ul.counts { (counts(report)) }
        (about(&[
            ("command", &report.command, true),
            ("module", &report.location, false),
            ("began", &report.began, false),
            ("lasted", &summary::effort_in_sessions(report), false),
            ("seed", &report.seed.to_string(), false),
        ]))
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

/// What was run, and when: names and values; code is in a fixed pitch.
fn about(parts: &[(&str, &str, bool)]) -> Markup {
    html! {
        dl.about {
            @for (name, value, is_code) in parts {
                @if !value.is_empty() {
                    dt { (name) }
                    dd {
                        @if *is_code { code { (visible(value)) } } @else { (visible(value)) }
                    }
                }
            }
            dt { "version" }
            dd { "Stickler " (env!("CARGO_PKG_VERSION")) }
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
                    @let article = finding::Article {
                        id: &visible(&outcome.code),
                        about: None,
                        wider: summary::wider(outcome, shown),
                        strict: report.strict,
                    };
                    (article.of(outcome))
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
