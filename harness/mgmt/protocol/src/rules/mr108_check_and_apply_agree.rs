//! # A check and an apply agree on whether the state is right
//!
//! ## What it requires
//! If a call with `apply` false returns `(true, nil)`, the next one with `apply` true does so, too.
//!
//! ## Why
//! Noop is worth nothing if it looks at something else than an apply does.
//!
//! ## How it is judged
//! - Judged: an apply right after a check that returned `(true, nil)`, also where the content, the mode or
//!   the owner of its file was changed before.
//! - Not judged: the first check, which is MR102's; resources of which something outside has changed between both calls.
//!
//! ## Example
//! With `apply` false, a resource looks at the content alone; with `apply` true, at the mode, too.
//!
//! ## How to fix
//! Let both take the same way up to `if !apply { return false, nil }`.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::reads::APPLIES;
use crate::session::Session;
use crate::settled::{checks_before_applies, has_applied};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(APPLIES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (dry, apply) in checks_before_applies(session) {
        // Before the first apply, it is a matter of telling what is wrong.
        if !dry.succeeds() || !apply.succeeds() || !has_applied(session, dry) {
            continue;
        }
        let broken = (dry.ok() == Some(true) && apply.ok() == Some(false))
            .then_some("with `apply` false the state is right, and with `apply` true it is not");
        ledger.check_against(dry.number, apply.number, apply.provenance, broken);
    }
}
