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
//!   the owner of its file was changed before; one that changes files after a check that returned `(false, nil)`.
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

use crate::reads::APPLIES;
use crate::session::{Call, Session};
use crate::settled::{checks_before_applies, has_applied};
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::visible;
use stickler_reading::{never_counts, within};
use stickler_transcript::Change;

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
            (Some(false), Some(true)) if !has_applied(session, dry) => {
                let Some(path) = changed(session, apply) else {
                    continue;
                };
                Some(DENIED.says(format!(
                    "with `apply` false the state is wrong; with `apply` true it changes {path}, and says that nothing was to do"
                )))
            }
            _ if !has_applied(session, dry) => continue,
            _ => None,
        };
        let (place, also) = (ledger.place(apply.number), ledger.place(dry.number));
        ledger.check_with(place, apply.provenance, found, |finding| {
            let finding = finding.also(also);
            // An apply that changes nothing, and never says that all is right, is told by its second call.
            match &apply.effects {
                Some(effects) if !effects.is_empty() => finding,
                _ => finding.follows("MR107"),
            }
        });
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
