//! Calls that have to come to the same as in the usual session.

use crate::phase;
use crate::session::{Call, Session};
use crate::settled::changes_again;
use stickler_judge::{Group, Ledger, Role, RunPlace, Variant};

/// Compares the calls of a group with those of its baseline, where undisturbed sessions agree. `joined` joins what
/// differs with the role of its session.
pub(crate) fn same_as_usual(
    group: &Group<'_, Session>,
    ledger: &mut Ledger,
    otherwise: Variant,
    joined: &str,
) {
    let Some((_, usual)) = group.baseline() else {
        return;
    };
    let again: Vec<&Session> = group
        .role(Role::Again)
        .map(|(_, session)| session)
        .collect();
    for (role, index, session) in group.variants().filter(|variant| *variant.0 != Role::Again) {
        for call in &session.exchanges {
            if ![phase::INIT, phase::VALIDATE, phase::CHECKAPPLY].contains(&call.phase) {
                continue;
            }
            let Some(known) = usual.exchange(&call.key) else {
                continue;
            };
            let is_stable = again.iter().all(|one| {
                one.exchange(&call.key)
                    .is_none_or(|other| result(other) == result(known))
            });
            // What is never right comes to this or that by chance.
            if is_again(usual, known) && known.ok() != Some(true) && !changes_again(usual, known) {
                break;
            }
            let place = RunPlace::at(index, call.number);
            if !is_stable || result(known).is_none() {
                continue;
            }
            let differs = result(known) != result(call);
            let broken = differs.then(|| {
                let why = call.why_it_fails().unwrap_or_else(|| crate::answered(call));
                otherwise.says(format!(
                    "`{}` does something else {joined} {role}: {why}",
                    call.phase.name()
                ))
            });
            ledger.check_at(place, call.provenance, broken);
            // What comes later may follow from it.
            if differs {
                break;
            }
        }
    }
}

/// Has its resource been applied before?
fn is_again(session: &Session, call: &Call) -> bool {
    let mut before = session.calls(phase::CHECKAPPLY);
    before.any(|one| {
        one.number < call.number
            && one.resource() == call.resource()
            && one.has("apply")
            && one.succeeds()
    })
}

/// What a call came to: whether it returned, whether that was an error, and what it said of the state.
fn result(call: &Call) -> Option<(bool, bool, Option<bool>)> {
    call.answer.as_ref()?;
    Some((call.returns(), call.error().is_some(), call.ok()))
}
