//! Situations as outcomes that the reporters show.

use crate::{Difference, Played, Ran, Table, Weight};
use std::collections::BTreeMap;
use stickler_judge::{
    Arrow, ExcerptLine, Found, Level, Places, Reported, Timeline, Variant, Verdict,
};

/// Why a situation was not played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unplayed {
    /// The time was over.
    Time,
    /// The user ended the run.
    Interrupted,
}

/// The head of the table in which cf-agent shows classes.
const CLASSES: &str = "Class name ";

/// How many lines of the agent's output are shown.
const PRINTED: usize = 6;

/// One outcome for each chosen situation, by name. It fails if the agent differs from the release, or leaves something
/// behind.
pub fn situations(
    table: &dyn Table,
    chosen: &[usize],
    ran: &Ran,
    release: Option<&str>,
    differing: &[(usize, Vec<Difference>)],
    unplayed: Unplayed,
) -> Vec<Reported> {
    let differing: BTreeMap<usize, &[Difference]> = differing
        .iter()
        .map(|(at, found)| (*at, &found[..]))
        .collect();
    let outcome = |at: &usize| {
        let name = table.name(*at);
        let mut outcome = passed(
            name,
            match (table.about(*at), release) {
                (Some(about), _) => about.to_owned(),
                (None, Some(release)) => format!("the agent does what {release} does"),
                (None, None) => "nothing was recorded".to_owned(),
            },
        );
        match ran.get(at) {
            None => {
                outcome.verdict = Verdict::Skipped;
                outcome.cases = 0;
                outcome.is_unheld = unplayed == Unplayed::Time;
                outcome.message = Some(match unplayed {
                    Unplayed::Time => "the time was over before it was played".to_owned(),
                    Unplayed::Interrupted => "not played".to_owned(),
                });
            }
            Some(Err(why)) => {
                outcome.verdict = Verdict::Skipped;
                outcome.cases = 0;
                outcome.message = Some(why.clone());
            }
            Some(Ok(played)) => {
                let found = differing.get(at).copied().unwrap_or_default();
                let release_name = release.unwrap_or("the release");
                fail(&mut outcome, played, found, release_name);
                if outcome.findings.is_empty()
                    && release.is_none_or(|release| !is_recorded(table, *at, played, release))
                {
                    outcome.verdict = Verdict::NotExercised;
                    outcome.message = Some("nothing was recorded of this situation".to_owned());
                }
            }
        }
        outcome
    };
    let mut outcomes: Vec<Reported> = chosen.iter().map(outcome).collect();
    outcomes.sort_by(|one, other| one.code.cmp(&other.code));
    outcomes
}

/// An outcome about a situation in which an agent differs from a release, or leaves something behind; `None` if it does
/// neither.
pub fn differs(
    name: &str,
    played: &Played,
    found: &[Difference],
    release: &str,
) -> Option<Reported> {
    let title = format!("the agent does what {release} does");
    let mut outcome = passed(name, title);
    fail(&mut outcome, played, found, release);
    outcome.verdict.is_failure().then_some(outcome)
}

fn passed(name: &str, title: String) -> Reported {
    Reported {
        code: name.to_owned(),
        title,
        level: Level::Must,
        verdict: Verdict::Pass,
        cases: 1,
        message: None,
        findings: Vec::new(),
        places: Places::default(),
        is_confirmed: true,
        is_unheld: false,
        not_held: 0,
        reproducer: None,
        timelines: Vec::new(),
        explained_by: None,
        explains: Vec::new(),
        wanted: None,
    }
}

/// Fails an outcome, if something was found.
fn fail(outcome: &mut Reported, played: &Played, found: &[Difference], release: &str) {
    let name = outcome.code.clone();
    let told = found.iter().filter(|one| one.weight != Weight::Better);
    let differing = told.map(|one| {
        let mut found = finding(
            &name,
            format!("{}: {}", one.what, one.got),
            Some(format!("{}, as {release} does", one.expected)),
        );
        // Another wording breaks no module.
        if one.weight == Weight::Wording {
            found.level = Level::Should;
        }
        found
    });
    let left = played.left.iter();
    let left = left.map(|left| finding(&name, left.clone(), None));
    let mut findings: Vec<Found> = differing.chain(left).collect();
    findings.sort_by_key(|one| std::cmp::Reverse(one.level));
    if let Some(first) = findings.first_mut() {
        first.excerpt = excerpt(&played.printed);
        outcome.message = Some(first.message.clone());
        outcome.verdict = Verdict::Fail;
        outcome.level = first.level;
        outcome.timelines = played.sessions.iter().map(Timeline::of).collect();
    }
    outcome.findings = findings;
}

fn is_recorded(table: &dyn Table, at: usize, played: &Played, release: &str) -> bool {
    let found = table.differences(at, &played.seen, release);
    matches!(found, Ok(Some(_)))
}

fn finding(name: &str, message: String, expected: Option<String>) -> Found {
    Found {
        level: Level::Must,
        variant: Variant::ONLY,
        group: name.into(),
        message,
        expected,
        exchange: None,
        case: name.to_owned(),
        context: format!("situation {name}"),
        excerpt: Vec::new(),
        agent: None,
        more: 0,
        others: Vec::new(),
    }
}

/// The last lines that the agent printed.
fn excerpt(printed: &str) -> Vec<ExcerptLine> {
    let lines: Vec<&str> = printed
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with(CLASSES))
        .collect();
    let shown = &lines[lines.len().saturating_sub(PRINTED)..];
    let line = |text: &&str| ExcerptLine {
        exchange: None,
        arrow: Arrow::Happened,
        // Tables are wide.
        text: text
            .trim_end()
            .chars()
            .take(300)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect(),
        mark: None,
        note: None,
    };
    shown.iter().map(line).collect()
}
