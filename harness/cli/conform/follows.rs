//! What follows from a broken rule: that the agent does something else than the release in the same situations.

use std::collections::{BTreeMap, BTreeSet};
use stickler_judge::{AnySession, Consequence, Reported, Verdict};

/// Files each situation in which the agent differs under the first rule that it breaks there, and that the release does
/// not break. `usual` has the rules that it does break, each with a situation.
pub(super) fn file(
    outcomes: &mut [Reported],
    sessions: &[AnySession],
    usual: &BTreeSet<(String, String)>,
) {
    let mut causes: BTreeMap<&str, &Reported> = BTreeMap::new();
    for rule in outcomes.iter().filter(|one| one.verdict == Verdict::Fail) {
        for situation in situations(rule, sessions) {
            let is_usual = usual.contains(&(rule.code.clone(), situation.to_owned()));
            let is_graver = |known: &&Reported| known.level < rule.level;
            if !is_usual && causes.get(situation).is_none_or(is_graver) {
                causes.insert(situation, rule);
            }
        }
    }
    let causes: BTreeMap<String, String> = causes
        .into_iter()
        .map(|(situation, rule)| (situation.to_owned(), rule.code.clone()))
        .collect();
    let mut filed: BTreeMap<String, Vec<Consequence>> = BTreeMap::new();
    for outcome in outcomes.iter_mut() {
        let Some(cause) = causes.get(&outcome.code) else {
            continue;
        };
        if outcome.verdict != Verdict::Fail {
            continue;
        }
        filed.entry(cause.clone()).or_default().push(Consequence {
            code: outcome.code.clone(),
            message: outcome.title.replace("the agent does what", "not what"),
        });
        let what = outcome.message.take().unwrap_or_default();
        outcome.message = Some(format!("follows from {cause}: {what}"));
        outcome.explained_by = Some(cause.clone());
        outcome.verdict = Verdict::Skipped;
    }
    for outcome in outcomes {
        let own = filed.remove(&outcome.code).unwrap_or_default();
        outcome.explains.extend(own);
    }
}

/// The situations in which a rule is broken.
pub(super) fn situations<'s>(rule: &Reported, sessions: &'s [AnySession]) -> BTreeSet<&'s str> {
    let broken = rule.places.broken.iter();
    broken
        .filter_map(|place| sessions.get(place.session))
        // With several modules, a case is a situation and a module.
        .filter_map(|session| session.case().items.first())
        .map(|item| &item.example[..])
        .collect()
}
