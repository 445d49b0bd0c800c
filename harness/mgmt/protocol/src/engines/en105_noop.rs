//! # `CheckApply` gets `apply` false in noop mode, and true otherwise
//!
//! ## What it requires
//! In noop mode, `apply` is false. Else it is true.
//!
//! ## Why
//! With true, a resource changes the system. With false, it never reaches its state.
//!
//! ## How it is judged
//! - Judged: each call of `CheckApply` of a resource whose mode is the same in all graphs.
//!
//! ## Example
//! ```text
//! → noted {"vertex":"a@1","call":"checkapply","apply":true,"begin":5,"end":6}
//! ```
//! The meta parameter `noop` of the resource is true.
//!
//! ## How to fix
//! Call `CheckApply(!res.MetaParams().Noop)`.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use super::view::{self, Known};
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It may change something, but must not.
const APPLIES: Variant = Variant::new("applies");
/// It must, but may not.
const ONLY_CHECKS: Variant = Variant::new("only-checks");

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    for one in all.iter().filter(|one| one.what == "checkapply") {
        let (noop, applies) = (
            known.noop.contains(one.name()),
            known.applies.contains(one.name()),
        );
        let vertex = one.vertex;
        let broken = match (noop, applies, one.call.has("apply")) {
            (false, false, _) => continue,
            (true, _, true) => {
                Some(APPLIES.says(format!("`{vertex}` is in noop mode, but gets `apply`")))
            }
            (_, true, false) => Some(ONLY_CHECKS.says(format!(
                "`{vertex}` is not in noop mode, but does not get `apply`"
            ))),
            _ => None,
        };
        ledger.check(one.call.number, one.call.provenance, broken);
    }
}
