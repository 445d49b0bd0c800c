//! # If the state is right, `CheckApply` returns `(true, nil)`
//!
//! ## What it requires
//! Once the state is what the resource asks for, `CheckApply` returns `(true, nil)`, also with
//! `apply` false.
//!
//! ## Why
//! The engine tells children and refreshes of each `(false, nil)`. A resource that is never right
//! notifies its graph without end.
//!
//! ## How it is judged
//! - Judged: a call with `apply` false after an apply that succeeded, of the same resource or of
//!   one like it, if an apply right before or after it finds the state right.
//! - Not judged: calls after something outside has changed; examples whose second outcome is
//!   declared as `changed`; a state that an apply does not find right either (MR106, MR107).
//!
//! ## Example
//! `CheckApply` compares a mode with the `umask` applied to one without it.
//!
//! ## How to fix
//! Read the state back in the form in which the resource asks for it, and compare both in one form.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::phase;
use crate::reads::APPLIES;
use crate::session::Session;
use crate::settled::{Checked, after_success};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(APPLIES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    after_success(
        session,
        |Checked {
             call,
             is_proven,
             is_made,
             ..
         }| {
            if call.phase != phase::CHECKAPPLY || call.has("apply") || !call.returns() {
                return;
            }
            // Else the state may be as wrong as the check says.
            let is_right = call.succeeds() && call.ok() == Some(true);
            if !(is_right || is_proven && is_made) {
                return;
            }
            let broken = match (call.error(), call.ok()) {
                (Some(error), _) => {
                    Some(format!("the state is right, and the check fails: {error}"))
                }
                (None, Some(false)) => {
                    Some("the state is right, and the check says that it is not".to_owned())
                }
                _ => None,
            };
            ledger.check(call.number, call.provenance, broken);
        },
    );
}
