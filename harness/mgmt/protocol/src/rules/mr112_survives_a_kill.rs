//! # After a kill, the next run reaches the usual end state
//!
//! ## What it requires
//! If mgmt is killed while `CheckApply` works, the next run reaches the end state of an undisturbed
//! one.
//!
//! ## Why
//! Machines lose power. A half-written file that is taken for right stays so for good.
//!
//! ## How it is judged
//! - Judged: the calls and the end state of `{dir}` in a second process. The suite kills the first
//!   one at several moments, mostly before a call that changes a file.
//! - Not judged: examples whose author expects `error`, or `changed` each time; files that an
//!   undisturbed run does not have; what differs between undisturbed runs; the number in a file of a
//!   resource that leaves a process running.
//!
//! ## Example
//! A resource writes its file in place, and takes each file that exists for right.
//!
//! ## How to fix
//! Write a temporary file beside it, call `Sync`, and rename it; compare the content.
//!
//! ## Source
//! Good practice.

use crate::phase;
use crate::session::{Call, Session};
use crate::visit::fate;
use stickler_judge::{Check, Group, Ledger, Place, Relation, Role, Variant};
use stickler_reading::words::visible;
use stickler_reading::{same_entry, within};
use stickler_transcript::{Entry, Fate};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::KILL], check)];

/// The next run fails.
const FAILS: Variant = Variant::new("fails");
/// It never finds the state right.
const MISSED: Variant = Variant::new("missed");
/// The end state is another one.
const OTHER_STATE: Variant = Variant::new("other-state");

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, usual)) = group.baseline() else {
        return;
    };
    // What never works undisturbed says nothing.
    let mut calls = usual.calls(phase::CHECKAPPLY);
    if !calls.any(|call| call.has("apply") && call.succeeds()) {
        return;
    }
    let again: Vec<&Session> = group
        .role(Role::Again)
        .map(|(_, session)| session)
        .collect();
    for (_, index, session) in group.variants().filter(|variant| *variant.0 != Role::Again) {
        let later: Vec<&Call> = session
            .calls(phase::CHECKAPPLY)
            .filter(|call| call.process == 1 && fate(call).is_some())
            .collect();
        let (Some(first), Some(last)) = (later.first(), later.last()) else {
            continue;
        };
        let expect = session
            .item(first)
            .map(|item| item.expect.as_slice())
            .unwrap_or_default();
        if expect.iter().any(|word| word == "error")
            || expect.last().is_some_and(|word| word == "changed")
        {
            continue;
        }
        let why = || first.why_it_fails().unwrap_or_default();
        let broken = match (fate(first), fate(last)) {
            (Some(Fate::Failed), _) => {
                Some(FAILS.says(format!("after a kill, the next run fails: {}", why())))
            }
            (_, Some(Fate::Changed)) if later.len() > 1 => {
                Some(MISSED.says("after a kill, the next run never finds the state right"))
            }
            _ => differs(usual, &again, session).map(|path| {
                OTHER_STATE.says(format!(
                    "after a kill, the next run leaves {path} otherwise"
                ))
            }),
        };
        let place = Place {
            session: index,
            exchange: Some(first.number),
        };
        ledger.check_at(place, first.provenance, broken);
    }
}

/// A path in the scratch folders that undisturbed runs leave alike, and this one otherwise.
fn differs(usual: &Session, again: &[&Session], session: &Session) -> Option<String> {
    if usual.is_truncated() || session.is_truncated() {
        return None;
    }
    let leaves_process = !usual.left.processes.is_empty() && !session.left.processes.is_empty();
    let state = usual.end_state();
    let (others, now): (Vec<_>, _) = (
        again.iter().map(|one| one.end_state()).collect(),
        session.end_state(),
    );
    let in_scratch = |path: &[u8]| usual.case().dirs.iter().any(|dir| within(path, dir));
    let mut paths = state.iter().filter(|(path, _)| in_scratch(path));
    let found = paths.find(|(path, entry)| {
        let is_stable = others
            .iter()
            .all(|one| same_entry(one.get(*path).copied().flatten(), **entry));
        let own = now.get(*path).copied().flatten();
        let both = [own, **entry];
        let is_process = || leaves_process && both.iter().all(|one| one.is_some_and(is_number));
        is_stable && !same_entry(own, **entry) && !is_process()
    })?;
    Some(visible(found.0))
}

/// Is it a file that holds nothing but a number, as files that name a process do?
fn is_number(entry: &Entry) -> bool {
    let content = entry.content.as_ref().map(|content| content.trim_ascii());
    content.is_some_and(|text| !text.is_empty() && text.iter().all(u8::is_ascii_digit))
}
