//! Files that a resource names and only reads: what `set` makes of them once the harness has changed them.

use crate::phase;
use crate::session::{Call, Session};
use crate::told::changes;
use stickler_judge::{Ledger, Level, Variant};
use stickler_transcript::{Bytes, Drift, Event};

/// What is missing counts as empty.
const EMPTY: Variant = Variant::new("takes-missing-for-empty");

/// What the harness has made of such a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    Empty,
    Missing,
}

/// Judges calls of `set` whose file is missing: they do not make what an empty file gives.
pub(crate) fn judge_inputs(session: &Session, ledger: &mut Ledger) {
    let sets: Vec<&Call> = session.asked(phase::SET).collect();
    let is = |set: &Call, state| input(session, set) == Some(state);
    let empty = sets.iter().find(|set| is(set, Input::Empty));
    let (Some(usual), Some(empty)) = (sets.first(), empty) else {
        return;
    };
    for set in sets.iter().filter(|set| is(set, Input::Missing)) {
        if set.fails() {
            ledger.pass(set.number);
        } else if is_made_alike(set, empty) && !is_made_alike(set, usual) {
            let broken = EMPTY.says(
                "no file is at a path that the resource names, and `set` takes it for an empty one",
            );
            let finding = ledger.finding(set.number, broken).at_most(Level::Should);
            ledger.report(finding.graded(set.provenance));
        }
    }
}

/// What is at a path that a change names, if the harness has changed it.
fn input(session: &Session, set: &Call) -> Option<Input> {
    let changes = changes(set);
    let targets = changes
        .iter()
        .filter_map(|(_, change)| change.get("should"));
    let values = targets.flat_map(|should| should.as_hash().unwrap_or_default());
    let named: Vec<String> = values.map(|(_, value)| value.to_text()).collect();
    let is_named = |path: &Bytes| named.iter().any(|text| text.as_bytes() == &path[..]);
    let events = session.transcript.events.iter();
    let events = events.take_while(
        |event| !matches!(event, Event::Request(input) if input.exchange == set.number),
    );
    let drifts = events.filter_map(|event| match event {
        Event::Drifted { drift, .. } => Some(&**drift),
        _ => None,
    });
    let about = drifts.filter(|drift| match drift {
        Drift::Command { words, .. } => words.iter().any(is_named),
        drift => drift.path().is_some_and(is_named),
    });
    match about.last()? {
        Drift::Write { content, .. } if content.is_empty() => Some(Input::Empty),
        Drift::Remove { .. } | Drift::Directory { .. } => Some(Input::Missing),
        _ => None,
    }
}

/// Do two calls make the same files, with the same content?
fn is_made_alike(one: &Call, other: &Call) -> bool {
    let made = |call: &'_ Call| {
        let effects = call.all_effects()?.iter();
        let files = effects.filter_map(|change| {
            let digest = change.after.as_ref()?.digest.clone()?;
            Some((change.path.clone(), digest))
        });
        Some(files.collect::<Vec<_>>()).filter(|files| !files.is_empty())
    };
    made(one).is_some() && made(one) == made(other)
}
