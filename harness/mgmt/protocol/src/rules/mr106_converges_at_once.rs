//! # One call of `CheckApply` converges
//!
//! ## What it requires
//! After `CheckApply` with `apply` true returned `(false, nil)`, the state is right. If one call
//! cannot do that, it returns an error.
//!
//! ## Why
//! The engine trusts the result and does not look again until something happens.
//!
//! ## How it is judged
//! - Judged: an apply of a new object with the same fields, after a call that returned without an
//!   error; calls that never return.
//! - Not judged: examples whose second outcome is declared as `changed`; calls after something
//!   outside has changed.
//!
//! ## Example
//! A resource creates the file in one call, and sets its mode in the next.
//!
//! ## How to fix
//! Do all steps in one call, or return an error.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::phase;
use crate::reads::APPLIES;
use crate::session::Session;
use crate::settled::{Checked, after_success, told_by_its_second_call};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(APPLIES, check)];

/// It never returns.
const HANGS: Variant = Variant::new("hangs");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::CHECKAPPLY) {
        super::never_returns(call, ledger, HANGS.says("`CheckApply` does not return"));
    }
    after_success(
        session,
        |Checked {
             call,
             success,
             is_same,
             ..
         }| {
            // What only looks may be wrong about the state.
            if call.phase != phase::CHECKAPPLY || !call.has("apply") || is_same || !call.returns() {
                return;
            }
            let broken = (call.succeeds() && call.ok() == Some(false))
                .then_some("after an apply that succeeded, a new object finds the state wrong");
            let (place, also) = (ledger.place(call.number), ledger.place(success.number));
            ledger.check_with(place, call.provenance, broken, |finding| {
                told_by_its_second_call(call, finding.also(also))
            });
        },
    );
}
