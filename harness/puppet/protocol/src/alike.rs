//! The same calls under two runtimes: where what they show differs.

use crate::message::{Answer, Failure};
use crate::phase;
use crate::relation;
use crate::rows::{Read, lasting};
use crate::session::{Call, Session};
use crate::targets::returned;
use std::collections::BTreeSet;
use stickler_judge::{Group, Ledger, Level, Relation, Role, RunPlace};
use stickler_reading::words::cut;
use stickler_transcript::Key;

/// Sessions with the usual runtime and with others.
pub(crate) const RUNTIMES: &[Relation] = &[relation::RUNTIME];

/// The longest value in a message, in characters.
const LONG: usize = 120;

/// What a call showed, as far as it has to be the same.
#[derive(PartialEq, Eq)]
enum Showed {
    Silent,
    Failed,
    Returned(Vec<String>),
}

/// Judges the sessions in some roles. `where_` names such a role in words.
pub(crate) fn judge(
    group: &Group<'_, Session>,
    ledger: &mut Ledger,
    is_meant: fn(&Role) -> bool,
    where_: fn(&Role) -> String,
) {
    let Some((usual, baseline)) = group.baseline() else {
        return;
    };
    let unstable: BTreeSet<&Key> = group
        .role(Role::Again)
        .flat_map(|(_, again)| pairs(baseline, again))
        .filter(|(one, other)| showed(baseline, one) != showed(baseline, other))
        .map(|(one, _)| &one.key)
        .collect();
    for (role, index, session) in group.variants().filter(|(role, ..)| is_meant(role)) {
        if let Some(why) = not_begun(session) {
            ledger.skip(format!("{} does not start: {why}", where_(role)));
            continue;
        }
        for (one, other) in pairs(baseline, session) {
            if unstable.contains(&one.key) || lacks(one) || lacks(other) {
                continue;
            }
            let (before, after) = (showed(baseline, one), showed(session, other));
            // What follows depends on it: other rules judge that the usual runtime fails.
            if before == Some(Showed::Failed) && matches!(after, Some(Showed::Returned(_))) {
                break;
            }
            // Where the usual runtime fails, nothing can be compared.
            let (Some(before @ Showed::Returned(_)), Some(after)) = (before, after) else {
                continue;
            };
            if let Some(file) = other.failure().and_then(Failure::absent_file) {
                ledger.skip(format!("{}, there is no `{file}`", where_(role)));
                break;
            }
            if one.phase == phase::LOAD && after == Showed::Failed && is_faulty(baseline, one) {
                // The library refuses what the rules about definitions judge.
                ledger.skip("the definition is at fault, whatever the runtime is");
                break;
            }
            if one.phase == phase::LOAD && after == Showed::Failed && !opens(baseline, one) {
                // Puppet loads the provider with its type.
                ledger.skip("the provider cannot be built, whatever the runtime is");
                break;
            }
            let place = RunPlace::at(index, other.number);
            if before == after {
                ledger.passes.push(place);
                continue;
            }
            let message = format!(
                "{}, `{}` {}",
                where_(role),
                other.phase.name(),
                told(other, &after)
            );
            let mut finding = ledger.finding_at(place, message);
            finding = finding.expected(format!("it {}, as usual", told(one, &before)));
            finding = finding
                .graded(other.provenance)
                .also(RunPlace::at(usual, one.number));
            if other.failure().is_some_and(|failure| failure.in_library) {
                finding = finding.at_most(Level::May);
            }
            ledger.report(finding);
            // What follows depends on it.
            break;
        }
    }
}

/// The calls that both sessions made.
fn pairs<'s>(
    baseline: &'s Session,
    other: &'s Session,
) -> impl Iterator<Item = (&'s Call, &'s Call)> {
    other.exchanges.iter().filter_map(|call| {
        let mut all = baseline.exchanges.iter();
        Some((all.find(|one| one.key == call.key)?, call))
    })
}

/// Has a definition that a call loads a fault?
fn is_faulty(session: &Session, load: &Call) -> bool {
    let mut loaded = session.types.iter().chain(&session.transports);
    loaded.any(|one| {
        let mut problems = one.definition.problems.iter();
        one.exchange == load.number && problems.any(|problem| !problem.is_undecided())
    })
}

/// Can the provider of the type be built that a call loads? Without an attempt, nothing is known.
fn opens(session: &Session, load: &Call) -> bool {
    let kind = load.param("type");
    let mut opened = session.exchanges.iter().filter(|call| {
        call.phase == phase::OPEN && call.process == load.process && call.param("type") == kind
    });
    opened.all(|call| !call.fails())
}

fn showed(session: &Session, call: &Call) -> Option<Showed> {
    let Some(answer) = &call.answer else {
        return call.owed.then_some(Showed::Silent);
    };
    if call.fails() {
        return Some(Showed::Failed);
    }
    if !returned(Some((call, answer))) {
        return None;
    }
    let value = answer.value("value");
    Some(Showed::Returned(match call.phase {
        phase::LOAD | phase::OPEN | phase::SET => Vec::new(),
        phase::GET => lasting(&Read {
            call,
            definition: session.definition(call)?,
            value: value?,
        }),
        phase::CANONICALIZE | phase::INSYNC => vec![value?.inspect()],
        _ => return None,
    }))
}

fn told(call: &Call, showed: &Showed) -> String {
    match (showed, call.failure()) {
        (Showed::Silent, _) => "does not answer".to_owned(),
        (Showed::Failed, Some(failure)) => format!("raises {}", cut(&failure.in_words(), LONG)),
        (Showed::Failed, None) => "fails".to_owned(),
        (Showed::Returned(all), _) if all.is_empty() => match call.phase {
            phase::GET => "returns no rows".to_owned(),
            _ => "works".to_owned(),
        },
        (Showed::Returned(all), _) => format!("returns {}", cut(&all.join(", "), LONG)),
    }
}

/// Did it fail because the stand-ins of the host lack something, or another module is not here?
fn lacks(call: &Call) -> bool {
    call.failure()
        .is_some_and(|failure| failure.missing.is_some() || failure.foreign.is_some())
}

/// Why a session did not begin.
fn not_begun(session: &Session) -> Option<String> {
    let (_, answer) = session.calls(phase::INITIALIZE).next()?;
    match answer {
        Answer::Failed(failure) => Some(failure.message.clone()),
        Answer::Refused(_, why) => Some(why.clone()),
        Answer::Result(_) | Answer::Broken(_) => None,
    }
}
