//! # After a kill or an end, the next run reaches the usual end state
//!
//! ## What it requires
//! If mgmt is killed while `CheckApply` works, or ends before, the next run reaches the end state of an
//! undisturbed one.
//!
//! ## Why
//! Machines lose power. A half-written file that is taken for right stays so for good.
//!
//! ## How it is judged
//! - Judged: the start and the calls of a second process after one that has ended, also where its files in
//!   the folder of `VarDir` have become empty.
//! - Judged: also the end state of `{dir}`, after one that the suite kills. It does so at several
//!   moments, mostly before a call that changes a file.
//! - Not judged: a next run that fails, or never finds the state right, as later calls of an undisturbed
//!   run do; examples whose author expects `error`, or `changed` each time; files that an undisturbed run
//!   does not have; what differs between undisturbed runs; the number in a file of a resource that leaves
//!   a process running.
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
use crate::relation;
use crate::session::{Call, Session};
use crate::visit::fate;
use stickler_judge::{Check, Group, Ledger, Relation, Role, RunPlace, Variant};
use stickler_reading::words::visible;
use stickler_reading::{same_entry, within};
use stickler_transcript::{Entry, Fate};

pub(super) const CHECKS: super::Checks =
    &[Check::Group(&[Relation::KILL, Relation::RESTART], check)];

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
    let apart = [Role::Again, Role::Concurrent];
    for (role, index, session) in group.variants().filter(|one| !apart.contains(one.0)) {
        let mut kills = session.case().groups.iter();
        let is_killed = kills.any(|member| member.relation == Relation::KILL);
        let what = match role.name() {
            relation::CUT_SHORT => "an end that leaves its files in `VarDir` empty",
            _ if is_killed => "a kill",
            _ => "an end",
        };
        let place = |call: &Call| RunPlace::at(index, call.number);
        let mut starts = session.calls(phase::INITIALIZE);
        let start = starts.find(|call| call.process == 1);
        if let Some((start, how)) = start.and_then(|one| Some((one, super::host_ended(one)?))) {
            let broken = FAILS.says(format!("after {what}, the next run does not start: {how}"));
            ledger.check_at(place(start), start.provenance, Some(broken));
            continue;
        }
        if let Some((init, why)) = cannot_begin(usual, session) {
            let broken = FAILS.says(format!("after {what}, the next run cannot begin: {why}"));
            ledger.check_at(place(init), init.provenance, Some(broken));
            continue;
        }
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
            (Some(Fate::Failed), _) if fails_alike(usual, &why()) => None,
            (Some(Fate::Failed), _) => {
                Some(FAILS.says(format!("after {what}, the next run fails: {}", why())))
            }
            (_, Some(Fate::Changed)) if later.len() > 1 && !is_found_right(usual) => None,
            (_, Some(Fate::Changed)) if later.len() > 1 => Some(MISSED.says(format!(
                "after {what}, the next run never finds the state right"
            ))),
            // Nobody looks at files where nothing was interrupted.
            _ if !is_killed => None,
            _ => differs(usual, &again, session).map(|path| {
                OTHER_STATE.says(format!(
                    "after {what}, the next run leaves {path} otherwise"
                ))
            }),
        };
        ledger.check_at(place(first), first.provenance, broken);
    }
}

/// An `Init` that fails in the next run, and not in an undisturbed one.
fn cannot_begin<'s>(usual: &Session, session: &'s Session) -> Option<(&'s Call, String)> {
    let mut known = usual.calls(phase::INIT);
    if !known.any(Call::succeeds) {
        return None;
    }
    let mut next = session.calls(phase::INIT);
    let next = next.find(|call| call.process == 1)?;
    Some((next, next.why_it_fails()?))
}

/// Does a later call of an undisturbed run fail with this error, too? Numbers make no difference.
fn fails_alike(usual: &Session, why: &str) -> bool {
    let words = |text: &str| text.replace(|one: char| one.is_ascii_digit(), "");
    let calls = usual.calls(phase::CHECKAPPLY).skip(1);
    let mut errors = calls.filter_map(Call::why_it_fails);
    errors.any(|error| words(&error) == words(why))
}

/// Does the last apply of an undisturbed run find the state right?
fn is_found_right(usual: &Session) -> bool {
    usual.calls(phase::CHECKAPPLY).filter_map(fate).last() == Some(Fate::Unchanged)
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
