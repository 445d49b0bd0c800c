//! A web page: one file, without references to others, that needs neither a network nor scripts.
//!
//! Maud escapes all text. Its content policy also forbids each request, and each style and script
//! but our own.

mod anchored;
pub(crate) mod campaign;
mod evidence;
mod finding;
mod parts;
mod plots;
mod rules;
mod session;
mod source;
mod unreached;
mod yields;

use crate::text::{no_command, visible};
use crate::words::{count, hints, thousands};
use crate::{ReportError, summary};
use maud::{Markup, html};
use parts::{Look, about, document, label, sentence};
use std::io;
use stickler_judge::{Exit, Report, Reported, Verdict};

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
    let advice: Vec<&Reported> = advice.collect();
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
fn top(report: &Report, shown: &[&Reported], advice: &[&Reported]) -> Markup {
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

fn findings(report: &Report, title: &str, outcomes: &[&Reported], shown: &[&Reported]) -> Markup {
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
                        pages: &report.pages,
                    };
                    (article.of(outcome))
                }
            }
        }
    }
}
