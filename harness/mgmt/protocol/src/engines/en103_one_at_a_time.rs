//! # The engine calls `CheckApply` of a resource once at a time
//!
//! ## What it requires
//! `CheckApply` of an instance is called only after its earlier call has returned.
//!
//! ## Why
//! Two calls that change one thing at a time disturb each other, and resources have no locks.
//!
//! ## How it is judged
//! - Judged: each call of `CheckApply` whose earlier calls have returned at some time.
//!
//! ## Example
//! ```text
//! → noted {"vertex":"a@1","call":"checkapply","begin":5,"end":8}
//! → noted {"vertex":"a@1","call":"checkapply","begin":6,"end":9}
//! ```
//! The second call begins within the first.
//!
//! ## How to fix
//! Call it from one goroutine for each vertex.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let all = view::noted(session);
    let checks = || all.iter().filter(|one| one.what == "checkapply");
    for one in checks() {
        let within = checks().any(|other| {
            other.vertex == one.vertex
                && other.begin < one.begin
                && other.end.is_some_and(|end| end > one.begin)
        });
        let broken =
            within.then(|| format!("`CheckApply` of `{}` is called while it runs", one.vertex));
        ledger.check(one.call.number, one.call.provenance, broken);
    }
}
