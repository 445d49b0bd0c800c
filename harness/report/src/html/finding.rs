//! A rule that did not pass: what happened, the evidence, what to do, the sessions behind it.

use super::parts::{class, label, sentence};
use super::{evidence, session};
use crate::text::visible;
use crate::words::{self, cases, count, message, replay};
use maud::{Markup, html};
use stickler_judge::{Found, Pages, Reported, Timeline};

/// How many sessions of a finding are shown.
const SESSIONS: usize = 6;
/// How many findings of other kinds are shown.
const KINDS: usize = 12;

/// How an outcome is shown.
pub(super) struct Article<'a> {
    /// The anchor.
    pub(super) id: &'a str,
    /// When it was found, if that is known.
    pub(super) about: Option<&'a str>,
    /// A rule that fails in the same exchanges.
    pub(super) wider: Option<&'a str>,
    pub(super) strict: bool,
    pub(super) pages: &'a Pages,
}

impl Article<'_> {
    pub(super) fn of(&self, outcome: &Reported) -> Markup {
        let found = outcome.findings.first();
        html! {
            article.(class(outcome, self.strict)) id=(self.id) {
                h3 {
                    (label(outcome, self.strict)) " " (visible(&outcome.code)) " "
                    span.level { (outcome.level.name()) } " "
                    span.title { (sentence(&outcome.title)) }
                }
                @if let Some(found) = found {
                    (finding(found))
                    (others(outcome))
                } @else if message(outcome) != outcome.title {
                    p { (sentence(message(outcome))) }
                }
                (consequences(outcome))
                @if let Some(wider) = self.wider {
                    p.dim {
                        a href=(format!("#{}", visible(wider))) { (visible(wider)) }
                        " fails in the same exchanges. Probably both report one defect."
                    }
                }
                @if let Some(about) = self.about { p.dim { (about) } }
                (todo(outcome))
                (sessions(outcome))
                (page(outcome, &self.pages.of(outcome)))
            }
        }
    }
}

fn finding(found: &Found) -> Markup {
    html! {
        p { (sentence(&found.message)) }
        @if !found.context.is_empty() { p.dim.context { (sentence(&found.context)) } }
        (evidence::list(found))
        @if let Some(agent) = &found.agent {
            p { span.dim { "Agent: " } (sentence(agent)) }
        }
        @if found.more > 0 { p.dim { "Also in " (count(found.more, "more case")) "." } }
        @if !found.others.is_empty() {
            ul { @for other in found.others.iter().take(KINDS) { li { (sentence(other)) } } }
        }
    }
}

/// Findings of other kinds, one line each.
fn others(outcome: &Reported) -> Markup {
    let others = outcome.findings.get(1..).unwrap_or_default();
    let rest = others.get(KINDS..).unwrap_or_default();
    html! {
        @if !others.is_empty() {
            h4 { "Other findings of this rule" }
            ul {
                @for found in others.iter().take(KINDS) {
                    li {
                        @if found.level != outcome.level { (found.level.name()) ": " }
                        (sentence(&found.message)) " "
                        span.dim { "(" (count(found.more.saturating_add(1), "case")) ")" }
                    }
                }
                @if !rest.is_empty() {
                    li { (count(rest.len(), "more kind")) " in " (count(cases(rest), "case")) }
                }
            }
        }
    }
}

/// What follows from it in other rules.
fn consequences(outcome: &Reported) -> Markup {
    html! {
        @if !outcome.explains.is_empty() {
            h4 { "What follows from it" }
            ul {
                @for (codes, message) in words::consequences(outcome) {
                    li { b { (visible(&codes)) } " " (sentence(message)) }
                }
            }
        }
    }
}

/// The commands that continue from here.
fn todo(outcome: &Reported) -> Markup {
    html! {
        dl.todo {
            @if let Some(reproducer) = &outcome.reproducer {
                dt { "replay" }
                dd { code { (visible(&replay(reproducer))) } }
            }
            dt { "why" }
            dd { code { "stickler explain " (visible(&outcome.code)) } }
        }
    }
}

fn sessions(outcome: &Reported) -> Markup {
    let rest = outcome.timelines.len().saturating_sub(SESSIONS);
    let own = outcome.findings.first().map(|found| &found.case);
    // The session of the finding first, then those to compare it with.
    let mut timelines: Vec<&Timeline> = outcome.timelines.iter().collect();
    timelines.sort_by_key(|timeline| Some(&timeline.case) != own);
    html! {
        @for timeline in timelines.into_iter().take(SESSIONS) { (session::details(timeline)) }
        @if rest > 0 { p.dim { (count(rest, "more session")) " in the reproducer" } }
    }
}

/// The rule's manual page, for readers without the program.
fn page(outcome: &Reported, page: &str) -> Markup {
    html! {
        details {
            summary { "What " (visible(&outcome.code)) " requires, and why" }
            pre.page { @for line in page.trim().lines() { (visible(line)) br; } }
        }
    }
}
