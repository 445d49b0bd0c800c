//! # A call with `apply` false hides nothing from the next one
//!
//! ## What it requires
//! After a call with `apply` false, a call of the same object with `apply` true still makes the
//! state right.
//!
//! ## Why
//! The engine uses one object for both. A resource that remembers that it has looked does not
//! repair.
//!
//! ## How it is judged
//! - Judged: an apply after a check of the same object that returned `(false, nil)`: it returns
//!   `(true, nil)`, and changed nothing.
//! - Not judged: resources of which something outside has changed between both calls.
//!
//! ## Example
//! A resource sets `obj.checked = true` in each call, and returns early if it is set.
//!
//! ## How to fix
//! Keep no result of a check in the object, or forget it in each call.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::reads::APPLIES;
use crate::session::Session;
use crate::settled::checks_before_applies;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(APPLIES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (dry, apply) in checks_before_applies(session) {
        let is_wrong = dry.succeeds() && dry.ok() == Some(false);
        if !is_wrong || !apply.succeeds() || dry.resource() != apply.resource() {
            continue;
        }
        let unchanged = apply.all_effects().is_some_and(<[_]>::is_empty);
        let broken = (apply.ok() == Some(true) && unchanged).then_some(
            "after a check that says that the state is wrong, an apply says that it is right",
        );
        ledger.check_against(dry.number, apply.number, apply.provenance, broken);
    }
}
