//! # If the state is wrong and `apply` is false, `CheckApply` returns `(false, nil)`
//!
//! ## What it requires
//! With `apply` false, a resource that would change something returns `(false, nil)`, and no error.
//!
//! ## Why
//! In noop mode, an error stops the vertex and everything below it, although nothing is wrong with
//! the resource.
//!
//! ## How it is judged
//! - Judged: a check with `apply` false, if the next call with `apply` true succeeds.
//! - Not judged: checks of resources that cannot be applied either; what differs once something has been
//!   applied (MR108).
//!
//! ## Example
//! A resource opens the file that it would have to create.
//!
//! ## How to fix
//! Return `false, nil` as soon as something differs, before any work that only an apply needs.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::reads::APPLIES;
use crate::session::Session;
use crate::settled::{checks_before_applies, has_applied};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(APPLIES, check)];

/// It fails.
const FAILS: Variant = Variant::new("fails");
/// It takes the state for right.
const UNTOLD: Variant = Variant::new("untold");

fn check(session: &Session, ledger: &mut Ledger) {
    for (dry, apply) in checks_before_applies(session) {
        if !apply.succeeds() || !dry.returns() {
            continue;
        }
        let changes = apply.ok() == Some(false) && !has_applied(session, dry);
        let broken = dry
            .error()
            .map(|error| {
                FAILS.says(format!(
                    "with `apply` false it fails, and with `apply` true it does not: {error}"
                ))
            })
            .or_else(|| {
                let is_right = dry.ok() == Some(true) && changes;
                is_right.then(|| {
                    UNTOLD.says(
                        "with `apply` false it returns `(true, nil)`, and then changes something",
                    )
                })
            });
        ledger.check(dry.number, dry.provenance, broken);
    }
}
