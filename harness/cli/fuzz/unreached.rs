//! What a campaign never reached, in words.

use serde_json::{Value, json};
use stickler_fuzz::{CampaignOutcome, Unreached, What};
use stickler_report::{Gap, count, visible};
use stickler_suite::{Redactor, Vocabulary};

/// How many things the terminal shows.
const SHOWN: usize = 3;
/// How many a program gets.
const MOST: usize = 500;
/// After fewer sessions, much was only not reached yet.
const ENOUGH: u64 = 100;

/// What was not reached, as a sentence without its end.
fn said(one: &Unreached, words: &Vocabulary) -> String {
    match &one.what {
        What::Attribute(name) => {
            format!("no accepted {} had the attribute `{name}`", words.item)
        }
        What::Outcome(name) => format!("no evaluation was `{name}`"),
        What::Operation(name) => format!("no `{name}` was sent"),
        What::Example(name) => format!("the example \"{name}\" was never evaluated"),
        What::Kind(name) => format!("the {} `{name}` has no example", words.kind),
        What::Missing(name) => format!("the {} did not find `{name}`", words.subject),
        What::Lines(file, from, to) if from == to => format!("line {from} of {file} never ran"),
        What::Lines(file, from, to) => format!("lines {from}–{to} of {file} never ran"),
    }
}

/// For the page, what has a known reason first.
pub fn gaps(outcome: &CampaignOutcome, words: &Vocabulary, redactor: &Redactor) -> Vec<Gap> {
    let mut all: Vec<&Unreached> = outcome.unreached.iter().collect();
    all.sort_by_key(|one| one.hint.is_none());
    let gaps = all.into_iter().map(|one| Gap {
        what: redactor.text(&said(one, words)),
        hint: one.hint.as_deref().map(|hint| redactor.text(hint)),
    });
    gaps.collect()
}

/// For the terminal: what has a known reason, briefly.
pub fn brief(outcome: &CampaignOutcome, words: &Vocabulary, redactor: &Redactor) -> Vec<String> {
    if outcome.unreached.is_empty() || outcome.status.cases < ENOUGH {
        return Vec::new();
    }
    let gaps = gaps(outcome, words, redactor);
    let mut lines = vec!["never reached:".to_owned()];
    lines.extend(gaps.iter().take(SHOWN).map(|gap| {
        let hint = gap.hint.as_ref();
        let hint = hint.map_or_else(String::new, |hint| format!(" ({hint})"));
        format!("  {}", visible(&format!("{}{hint}", gap.what)))
    }));
    if gaps.len() > SHOWN {
        let rest = count(gaps.len() - SHOWN, "thing");
        lines.push(format!("  {rest} more; --report DIR shows all"));
    }
    lines
}

/// For programs.
pub fn json(outcome: &CampaignOutcome, redactor: &Redactor) -> Value {
    let all = outcome.unreached.iter().take(MOST).map(|one| {
        json!({
            "what": one.what.sort(),
            "name": redactor.text(&one.what.name()),
            "hint": one.hint.as_deref().map(|hint| redactor.text(hint)),
        })
    });
    all.collect()
}
