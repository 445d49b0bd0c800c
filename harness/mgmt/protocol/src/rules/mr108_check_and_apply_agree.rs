//! # A check and an apply agree on whether the state is right
//!
//! ## What it requires
//! If a call with `apply` false returns `(true, nil)`, the next one with `apply` true does so, too. If it
//! returns `(false, nil)`, an apply that changes something returns `(false, nil)`, too.
//!
//! ## Why
//! Noop is worth nothing if it looks at something else than an apply does. After a change that is not told,
//! no child is refreshed.
//!
//! ## How it is judged
//! - Judged: an apply right after a check that returned `(true, nil)`, also where the content, the mode or
//!   the owner of its file was changed before; one that changes files after a check that returned `(false, nil)`, or
//!   that repairs what something outside has changed.
//! - Not judged: the first check, which is MR102's; resources of which something outside has changed between both calls.
//!
//! ## Example
//! With `apply` false, a resource looks at the content alone; with `apply` true, at the mode, too.
//!
//! ## How to fix
//! Let both take the same way up to `if !apply { return false, nil }`, and return `false, nil` after the change.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::phase;
use crate::reads::APPLIES;
use crate::session::{Call, Session};
use crate::settled::{checks_before_applies, has_applied, told_by_its_second_call};
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::visible;
use stickler_reading::{never_counts, within};
use stickler_transcript::{Change, ChangeKind};

pub(super) const CHECKS: super::Checks = &[Check::Session(APPLIES, check)];

/// It changes something, and says that all was right.
const DENIED: Variant = Variant::new("denied");

fn check(session: &Session, ledger: &mut Ledger) {
    for (dry, apply) in checks_before_applies(session) {
        if !dry.succeeds() || !apply.succeeds() {
            continue;
        }
        // Before the first apply, it is a matter of telling what is wrong.
        let found = match (dry.ok(), apply.ok()) {
            (Some(true), Some(false)) if !has_applied(session, dry) => continue,
            (Some(true), Some(false)) => Some(
                "with `apply` false the state is right, and with `apply` true it is not".into(),
            ),
            (Some(false), Some(true)) => match changed(session, apply) {
                Some(path) => Some(DENIED.says(format!(
                    "with `apply` false the state is wrong; with `apply` true it changes {path}, and says that nothing was to do"
                ))),
                None if !has_applied(session, dry) => continue,
                None => None,
            },
            _ if !has_applied(session, dry) => continue,
            _ => None,
        };
        let (place, also) = (ledger.place(apply.number), ledger.place(dry.number));
        ledger.check_with(place, apply.provenance, found, |finding| {
            told_by_its_second_call(apply, finding.also(also))
        });
    }
    untold(session, ledger);
}

/// After something outside has changed, what an apply changes once more was wrong.
fn untold(session: &Session, ledger: &mut Ledger) {
    let applies: Vec<&Call> = session
        .calls(phase::CHECKAPPLY)
        // What another one does at the same time shows there, too.
        .filter(|call| call.has("apply") && call.returns() && call.param("beside").is_none())
        .collect();
    for (at, apply) in applies.iter().enumerate() {
        let (Some(drift), Some(changes)) = (session.drift_before(apply), &apply.effects) else {
            continue;
        };
        let earlier = &applies[..at];
        let is_spoilt = earlier.last().is_some_and(|last| {
            let before = session.drift_before(last);
            before.is_none_or(|before| !std::ptr::eq(before, drift))
        });
        if !is_spoilt || !apply.succeeds() || apply.ok().is_none() {
            continue;
        }
        let made = |path: &[u8]| {
            let told = earlier.iter().filter(|call| call.ok() == Some(false));
            let mut changes = told.flat_map(|call| call.effects.iter().flatten());
            changes.any(|change| change.path[..] == *path)
        };
        let repaired = changes
            .iter()
            .find(|change| change.kind != ChangeKind::Rewritten && made(&change.path));
        let Some(repaired) = repaired else {
            continue;
        };
        let broken = (apply.ok() == Some(true)).then(|| {
            DENIED.says(format!(
                "after something outside has changed, it repairs {}, and says that nothing was to do",
                visible(&repaired.path)
            ))
        });
        ledger.check(apply.number, apply.provenance, broken);
    }
}

/// What a call changed in the folders of the example.
fn changed(session: &Session, call: &Call) -> Option<String> {
    let dirs = &session.case().dirs;
    let in_scratch = |change: &&Change| dirs.iter().any(|dir| within(&change.path, dir));
    let own = |change: &&Change| !never_counts(change, session.case());
    let changes = call.effects.as_deref().unwrap_or_default();
    // What the example is about comes first.
    let mut own = changes.iter().filter(own);
    let first = own.clone().find(in_scratch).or_else(|| own.next());
    first.map(|change| visible(&change.path))
}
