//! # The runtime reads a type's state before it changes it
//!
//! ## What it requires
//! Before the first call of `set`, a runtime calls `get` of the same type.
//!
//! ## Why
//! Only what differs from the state may be changed, and `set` is told the state.
//!
//! ## How it is judged
//! - Judged: each call of `set`.
//!
//! ## Example
//! ```text
//! → called {"call":"set","changes":[["a",{"is":null,"should":{"name":"a"}}]],"type":"t"}
//! ```
//! Nobody has looked whether the resource is there.
//!
//! ## How to fix
//! Call `get`, compare, and pass what it returned as `is`.
//!
//! ## Source
//! Resource API specification, "The resource implementation (\"provider\")".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let all = view::noted(session);
    for set in view::sets(&all) {
        let is_read = all
            .iter()
            .any(|one| one.method == "get" && one.kind == set.kind && one.is_before(set));
        let broken = (!is_read).then(|| {
            format!(
                "`set` of `{}` is called, but `get` was not called before",
                set.kind
            )
        });
        ledger.check(set.call.number, set.call.provenance, broken);
    }
}
