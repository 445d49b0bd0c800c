//! # The second call of `CheckApply` does nothing
//!
//! ## What it requires
//! After a successful apply, the next call of the same object with `apply` true returns `(true,
//! nil)` and changes no file.
//!
//! ## Why
//! The engine calls `CheckApply` again after each event and each poke. Each further change is an
//! event of its own, and the graph never rests.
//!
//! ## How it is judged
//! - Judged: a second call with `apply` true of the same object, also after a pause, in another folder,
//!   where its file was a directory or a link, or has no newline at its end, and with another value of a field.
//! - Not judged: examples whose second outcome is declared as `changed`; calls after something
//!   outside has changed.
//!
//! ## Example
//! A resource writes its file without a look at what is there.
//!
//! ## How to fix
//! Compare first, and write only what differs.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::phase;
use crate::reads::APPLIES;
use crate::relation::VARIED;
use crate::session::Session;
use crate::settled::{Checked, after_success, did_nothing};
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::visible;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(APPLIES, check),
    Check::Session(&[VARIED], check),
];

/// It says that it changed something.
const CHANGED: Variant = Variant::new("changed");
/// It fails.
const FAILS: Variant = Variant::new("fails");
/// It writes, and says that all was right.
const WRITES: Variant = Variant::new("writes");

fn check(session: &Session, ledger: &mut Ledger) {
    after_success(
        session,
        |Checked {
             call,
             success,
             is_same,
             ..
         }| {
            if call.phase != phase::CHECKAPPLY || !call.has("apply") || !is_same || !call.returns()
            {
                return;
            }
            let effect = call.effects.as_ref().and_then(|effects| effects.first());
            let broken = match (call.error(), call.ok(), effect) {
                (Some(error), ..) => Some(FAILS.says(format!("the second call fails: {error}"))),
                (None, Some(false), _) => {
                    Some(CHANGED.says("the second call returns `(false, nil)` again"))
                }
                (None, _, Some(change)) => {
                    let path = visible(&change.path);
                    Some(WRITES.says(format!("the second call changes {path}")))
                }
                _ => None,
            };
            let (place, also) = (ledger.place(call.number), ledger.place(success.number));
            ledger.check_with(place, call.provenance, broken, |finding| {
                let finding = finding.also(also);
                // An error of the first one that is swallowed shows here, too.
                match did_nothing(success) {
                    true => finding.follows("MR103"),
                    false => finding,
                }
            });
        },
    );
}
