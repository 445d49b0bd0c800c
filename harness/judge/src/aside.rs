//! Sets aside outcomes that follow from others, once it is known which of these stand.

use crate::outcome::{Consequence, Outcome};
use crate::{Level, Verdict};
use std::collections::BTreeMap;

/// Sets aside the outcomes that follow from another one that stands. Those whose cause does not stand, since
/// it did not come again, count by themselves.
pub fn set_aside(outcomes: &mut [Outcome]) {
    let standing: BTreeMap<String, Level> = outcomes
        .iter()
        .filter(|one| one.explained_by.is_none() && stands(one.verdict))
        .map(|one| (one.code.clone(), one.level))
        .collect();
    for outcome in &mut *outcomes {
        let holds = |code: &String| {
            standing
                .get(code)
                .is_some_and(|level| *level >= outcome.level)
        };
        outcome.explained_by.take_if(|code| !holds(code));
        // What was set aside before says so already.
        if let Some(code) = &outcome.explained_by
            && outcome.verdict != Verdict::Skipped
        {
            let what = outcome.message.as_deref().unwrap_or(&outcome.title);
            outcome.message = Some(format!("follows from {code}: {what}"));
            outcome.verdict = Verdict::Skipped;
        }
    }
    let kept: Vec<(String, String)> = outcomes
        .iter()
        .filter_map(|one| Some((one.explained_by.clone()?, one.code.clone())))
        .collect();
    for outcome in outcomes {
        let is_kept = |one: &Consequence| {
            let mut kept = kept.iter();
            kept.any(|(cause, code)| *cause == outcome.code && *code == one.code)
        };
        outcome.explains.retain(is_kept);
    }
}

/// May others follow from it? A failure that the author declared is one all the same.
fn stands(verdict: Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Fail | Verdict::Advice | Verdict::Xfail | Verdict::Waived
    )
}
