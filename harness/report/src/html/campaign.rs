//! The page of a fuzz campaign: the answer, the findings, how it went, which lines ran.

use super::anchored::{Anchored, anchored};
use super::parts::{Look, about, document, label, sentence};
use super::{finding, plots, source, unreached, yields};
use crate::ReportError;
use crate::campaign::{Campaign, Defect};
use crate::text::{no_command, visible};
use crate::words::{clock, count, message, thousands};
use maud::{Markup, html};
use std::io;
use stickler_judge::{Exit, Level};

const STYLE: &str = concat!(include_str!("page.css"), include_str!("campaign.css"));

pub(crate) fn render(campaign: &Campaign, sink: &mut dyn io::Write) -> Result<(), ReportError> {
    writeln!(sink, "{}", no_command(&page(campaign).into_string()))?;
    Ok(())
}

fn page(campaign: &Campaign) -> Markup {
    let defects = anchored(campaign);
    let is_advice = |one: &&Anchored<'_>| one.defect.outcome.level == Level::May;
    let advice: Vec<&Anchored<'_>> = defects.iter().filter(is_advice).collect();
    let failures: Vec<&Anchored<'_>> = defects.iter().filter(|one| !is_advice(one)).collect();
    let title = format!("{}: {}", campaign.subject, campaign.verdict);
    let body = html! {
        header { (top(campaign, &defects)) }
        main {
            @if !defects.is_empty() {
                div #defects {
                    (articles("Findings", &failures, campaign))
                    (articles("Advice", &advice, campaign))
                }
            }
            (course(campaign, &defects))
            (yields::section(&campaign.yields))
            (unreached::section(&campaign.unreached))
            (source::section(&campaign.sources))
        }
    };
    let look = Look {
        style: STYLE,
        script: None,
    };
    document(&title, look, &body)
}

/// The class of the colour of the whole campaign.
fn colour(campaign: &Campaign) -> &'static str {
    let mut defects = campaign.defects.iter();
    match campaign.exit {
        Exit::Findings => "fail",
        Exit::Success if defects.any(|one| one.outcome.level > Level::May) => "flaky",
        Exit::Success => "pass",
        _ => "none",
    }
}

fn top(campaign: &Campaign, defects: &[Anchored<'_>]) -> Markup {
    let lasted = clock(campaign.seconds);
    let seed = campaign.seed.map(|seed| seed.to_string());
    html! {
        h1 { (visible(&campaign.subject)) }
        p.conclusion.(colour(campaign)) { (sentence(&campaign.verdict)) }
        ul.facts { @for fact in &campaign.facts { li { (visible(fact)) } } }
        (about(&[
            ("command", &campaign.command, true),
            ("module", &campaign.location, false),
            ("began", &campaign.began, false),
            ("lasted", &lasted, false),
            ("seed", seed.as_deref().unwrap_or_default(), false),
        ]))
        @for remark in &campaign.remarks { p.dim { (sentence(remark)) } }
        p.parts {
            @if !defects.is_empty() {
                a href="#defects" { "Findings" } " "
            }
            a href="#course" { "Course" } " "
            @if !campaign.yields.is_empty() { a href="#techniques" { "Techniques" } " " }
            @if !campaign.unreached.is_empty() { a href="#unreached" { "Never reached" } " " }
            a href="#lines" { "Lines" }
        }
        @if defects.len() > 1 {
            nav aria-label="Findings" {
                ol {
                    @for Anchored { id, defect } in defects {
                        li {
                            a href=(format!("#{id}")) {
                                (label(&defect.outcome, campaign.strict)) " "
                                b { (visible(&defect.outcome.code)) }
                            }
                            " " (sentence(message(&defect.outcome)))
                        }
                    }
                }
            }
        }
    }
}

fn articles(title: &str, defects: &[&Anchored<'_>], campaign: &Campaign) -> Markup {
    let id = title.to_lowercase();
    html! {
        @if !defects.is_empty() {
            section aria-labelledby=(id) {
                h2 id=(id) { (title) " " span.dim { (thousands(defects.len())) } }
                @for Anchored { id, defect } in defects {
                    @let article = finding::Article {
                        id,
                        about: Some(&found(defect)),
                        wider: None,
                        strict: campaign.strict,
                        pages: &campaign.pages,
                    };
                    (article.of(&defect.outcome))
                }
            }
        }
    }
}

/// When a defect was found, and how surely it shows.
fn found(defect: &Defect) -> String {
    let (times, tries) = defect.shown;
    let cases = count(
        usize::try_from(defect.cases).unwrap_or(usize::MAX),
        "session",
    );
    let shows = match times < tries {
        true => format!("Flaky: it occurred in {times} of {tries} fresh processes."),
        false => "It occurred in each fresh process.".to_owned(),
    };
    if defect.again {
        return format!("An earlier run of this campaign found it. {shows}");
    }
    format!("Found after {} and {cases}. {shows}", clock(defect.at))
}

/// How it went: plots, and the counters at the end.
fn course(campaign: &Campaign, defects: &[Anchored<'_>]) -> Markup {
    html! {
        section aria-labelledby="course" {
            h2 id="course" { "Course" }
            @if campaign.samples.len() > 1 { (plots::all(campaign, defects)) }
            dl.counters {
                @for (name, value) in &campaign.counters {
                    div { dt { (visible(name)) } dd { (visible(value)) } }
                }
            }
        }
    }
}
