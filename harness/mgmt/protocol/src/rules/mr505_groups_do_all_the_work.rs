//! # A group does the work of its members
//!
//! ## What it requires
//! `GroupCmp` never panics, and refuses other kinds with an error, unless both say that they join.
//! After a head has applied, what its members ask for is right, too, and its `Watch` follows it.
//!
//! ## Why
//! The engine calls neither `Watch` nor `CheckApply` of a member: the head works for all.
//!
//! ## How it is judged
//! - Judged: `GroupCmp` in both directions with the same kind, and with other kinds that share the part
//!   before the first colon; the example as head, and itself in another folder as member, also with
//!   another value in a field: then new resources, by themselves, look at the state.
//! - Judged: whether the head's `Watch` sees a change of what a member has made, between two of its own that it sees.
//! - Not judged: what new resources by themselves do not bring about either.
//!
//! ## Example
//! `GroupCmp` returns nil, and `CheckApply` looks at the head alone.
//!
//! ## How to fix
//! Go through `obj.GetGroup()` in `CheckApply` and `Watch`.
//!
//! ## Source
//! mgmt resource guide, "Groupable".

use crate::phase;
use crate::purpose;
use crate::relation;
use crate::session::{Call, Session};
use crate::visit::fate;
use crate::watched::{came, watched};
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::{Fate, Purpose};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::GROUPED], check)];

/// It panics.
const PANICS: Variant = Variant::new("panics");
/// The head fails.
const FAILS: Variant = Variant::new("fails");
/// Changes of what a member made are not seen.
const UNSEEN: Variant = Variant::new("unseen");
/// A member's work is not done.
const UNDONE: Variant = Variant::new("undone");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::GROUPCMP) {
        if call.answer.is_some() {
            let broken = call
                .panic()
                .map(|panic| PANICS.says(format!("`GroupCmp` ends in a {panic}")));
            ledger.check(call.number, call.provenance, broken);
        }
    }
    let Some(group) = session.calls(phase::GROUP).find(|call| call.succeeds()) else {
        return;
    };
    let head = group.resource();
    let mut applied = session.calls(phase::CHECKAPPLY);
    let Some(applied) = applied.find(|call| call.resource() == head && call.has("apply")) else {
        return;
    };
    if let Some(why) = applied.why_it_fails() {
        let works = by_itself(session, head).is_some_and(|(_, _, works)| works);
        let broken =
            works.then(|| FAILS.says(format!("with a member in its group, it fails: {why}")));
        ledger.check(applied.number, applied.provenance, broken);
        return;
    }
    // What needs two calls does so without a group, too.
    let mut settled = session.checked(purpose::SETTLED, 1);
    if settled.any(|call| fate(call) == Some(Fate::Changed)) {
        return;
    }
    unseen(session, head, ledger);
    let member = group.param("member").unwrap_or_default();
    for label in [head, member] {
        let Some((looked, alone, works)) = by_itself(session, label) else {
            continue;
        };
        if !works {
            continue;
        }
        let who = if label == head {
            "the head"
        } else {
            "a member"
        };
        let broken = (looked.ok() == Some(false) && fate(alone) == Some(Fate::Changed))
            .then(|| UNDONE.says(format!("what {who} of a group asks for is not done")));
        ledger.check_against(applied.number, looked.number, applied.provenance, broken);
    }
}

/// The head sees a change of its own before and after one of a member's.
fn unseen(session: &Session, head: &str, ledger: &mut Ledger) {
    let all = watched(session);
    for watch in all.iter().filter(|watch| watch.start.resource() == head) {
        let noticed: Vec<&Call> = watch.noticed().collect();
        let [before, theirs, after] = noticed.as_slice() else {
            continue;
        };
        let sees = |call: &Call| came(call).as_deref() == Some("event");
        if !sees(before) || !sees(after) || session.drift_failed(theirs).is_some() {
            continue;
        }
        let is_unseen = came(theirs).as_deref() == Some("nothing");
        let broken = is_unseen.then(|| {
            UNSEEN.says(
                "a change of what a member of a group has made leads to no event; one of what the head has made does",
            )
        });
        ledger.check_against(before.number, theirs.number, theirs.provenance, broken);
    }
}

/// What a new resource finds, what it does, and whether that makes it right.
fn by_itself<'s>(session: &'s Session, label: &str) -> Option<(&'s Call, &'s Call, bool)> {
    let called = |purpose: Purpose, turn: usize| {
        let mut calls = session.checked(purpose, turn);
        calls.find(|call| call.process == 1 && call.resource() == label)
    };
    let looked = called(Purpose::LOOK, 2)?;
    let applied = called(Purpose::EVALUATE, 2)?;
    let later = called(Purpose::LOOK, 3)?;
    Some((
        looked,
        applied,
        applied.succeeds() && later.ok() == Some(true),
    ))
}
