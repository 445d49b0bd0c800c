//! Sessions in which the services of the description have stopped: what a provider then reports
//! about resources of this machine.

use crate::absent::is_absent;
use crate::message::Answer;
use crate::phase;
use crate::purpose;
use crate::session::{Call, Session};
use crate::targets::{all_keyed, returned, rows};
use stickler_judge::Ledger;
use stickler_transcript::Purpose;

/// Was the call made while the services are down?
pub(crate) fn is_down(call: &Call) -> bool {
    call.key.part_of(purpose::DOWN).is_some()
}

/// How many rows there are while the services run, if there are any.
fn usual(session: &Session) -> Option<usize> {
    let found = all_keyed(session, purpose::UP).filter_map(|called| count(Some(called)));
    found.max().filter(|count| *count > 0)
}

fn count(called: Option<(&Call, &Answer)>) -> Option<usize> {
    let rows = rows(called)?;
    let rows = rows.as_array().unwrap_or_default().iter();
    Some(rows.filter(|row| !is_absent(row)).count())
}

/// The calls of `get` while the services are down, and how many rows each returned.
fn reads(session: &Session) -> impl Iterator<Item = (&Call, &Answer, Option<usize>)> {
    let down = session.calls(phase::GET).filter(|(call, _)| is_down(call));
    down.map(|(call, answer)| (call, answer, count(Some((call, answer)))))
}

/// Judges these calls: they raise, unless the provider does not need the services.
pub(crate) fn judge_reads(session: &Session, ledger: &mut Ledger) {
    let Some(usual) = usual(session) else { return };
    let after_set = |call: &Call| call.key.is(purpose::DOWN_AFTER);
    for (call, answer, found) in reads(session).filter(|(call, ..)| !after_set(call)) {
        if answer.failure().is_some() {
            ledger.pass(call.number);
        } else if returned(Some((call, answer)))
            && let Some(found) = found.filter(|found| *found < usual)
        {
            let message =
                format!("the service is down, but `get` returns {found} rows instead of {usual}");
            ledger.check(call.number, call.provenance, Some(message));
        }
    }
}

/// Judges calls of `set` while the services are down: without them, `set` cannot succeed.
pub(crate) fn judge_sets(session: &Session, ledger: &mut Ledger) {
    let Some(usual) = usual(session) else { return };
    // A fresh process needs them before the `set` and after it: a `set` may start what it needs.
    let needs_them = |purpose: Purpose| {
        let mut found = reads(session).filter(|(call, ..)| call.key.is(purpose));
        found.any(|(_, answer, found)| {
            answer.failure().is_some() || found.is_some_and(|found| found < usual)
        })
    };
    if !needs_them(purpose::DOWN_FRESH) || !needs_them(purpose::DOWN_AFTER) {
        return;
    }
    for (set, answer) in session.calls(phase::SET).filter(|(set, _)| is_down(set)) {
        if set.fails() {
            ledger.pass(set.number);
        } else if returned(Some((set, answer))) && set.effects.iter().flatten().next().is_none() {
            let broken = "the service is down, but `set` reports no failure";
            ledger.check(set.number, set.provenance, Some(broken));
        }
    }
}

/// Was a call made in a process that began once the services were down?
pub(crate) fn is_stopped_before(session: &Session, call: &Call) -> bool {
    let mut lost = all_keyed(session, purpose::DOWN_LOST);
    // The processes before the last one have seen them run.
    let last = session.exchanges.iter().map(|other| other.process).max();
    lost.any(|(lost, _)| lost.process < call.process && last == Some(call.process))
}
