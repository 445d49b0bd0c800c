//! What each technique of a campaign brought, in words.

use super::seconds::seconds;
use serde_json::{Value, json};
use stickler_fuzz::{CampaignOutcome, Yield};
use stickler_report::{Yield as Shown, thousands};

/// The techniques that were tried. The one that took longest is the first.
fn tried(outcome: &CampaignOutcome) -> Vec<&Yield> {
    let mut all: Vec<&Yield> = outcome.yields.iter().collect();
    // Examples that a campaign begins with may show defects before any input runs.
    all.retain(|one| one.tried > 0 || one.findings > 0);
    all.sort_by_key(|one| std::cmp::Reverse(one.time));
    all
}

/// For the terminal: a table.
pub fn table(outcome: &CampaignOutcome) -> Vec<String> {
    let number = |count: u64| thousands(usize::try_from(count).unwrap_or(usize::MAX));
    let line = |[name, tried, marks, corpus, findings, seconds]: [&str; 6]| {
        format!("{name:<26} {tried:>9} {marks:>9} {corpus:>7} {findings:>8} {seconds:>8}")
    };
    let heads = [
        "technique",
        "sessions",
        "new marks",
        "corpus",
        "findings",
        "seconds",
    ];
    let rows = tried(outcome).into_iter().map(|one| {
        line([
            one.technique.name,
            &number(one.tried),
            &number(one.marks),
            &number(one.corpus),
            &number(one.findings),
            &format!("{:.2}", one.time.as_secs_f64()),
        ])
    });
    [line(heads)].into_iter().chain(rows).collect()
}

/// For the page.
pub fn shown(outcome: &CampaignOutcome) -> Vec<Shown> {
    let shown = tried(outcome).into_iter().map(|one| Shown {
        name: one.technique.name.to_owned(),
        sentence: one.technique.sentence.to_owned(),
        tried: one.tried,
        marks: one.marks,
        corpus: one.corpus,
        findings: one.findings,
        seconds: one.time.as_secs_f64(),
    });
    shown.collect()
}

/// For programs.
pub fn json(outcome: &CampaignOutcome) -> Value {
    let all = tried(outcome).into_iter().map(|one| {
        json!({
            "technique": one.technique.name,
            "tried": one.tried,
            "marks": one.marks,
            "corpus": one.corpus,
            "findings": one.findings,
            "seconds": seconds(one.time),
        })
    });
    all.collect()
}
