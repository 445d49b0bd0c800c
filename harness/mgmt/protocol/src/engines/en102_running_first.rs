//! # The engine calls `CheckApply` only after `Watch` has said that it runs
//!
//! ## What it requires
//! The first `CheckApply` of a resource comes after the first event of its `Watch`.
//!
//! ## Why
//! What changes between a check and the start of the watch is seen by nobody.
//!
//! ## How it is judged
//! - Judged: each call of `CheckApply`.
//! - Not judged: resources that the engine polls.
//!
//! ## Example
//! ```text
//! → noted {"vertex":"a@1","call":"watch_begin","begin":3,"end":4}
//! → noted {"vertex":"a@1","call":"checkapply","begin":5,"end":6}
//! ```
//! `Watch` has not called `Running` yet.
//!
//! ## How to fix
//! Wait for `Running` before the vertex is processed for the first time.
//!
//! ## Source
//! mgmt resource guide, "Running".

use super::view::{self, Known};
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    let checks = all.iter().filter(|one| one.what == "checkapply");
    for one in checks.filter(|one| !known.polled.contains(one.name())) {
        let runs = all.iter().any(|event| {
            event.what == "event" && event.vertex == one.vertex && event.begin < one.begin
        });
        let broken = (!runs).then(|| {
            format!(
                "`CheckApply` of `{}` is called before its `Watch` runs",
                one.vertex
            )
        });
        ledger.check(one.call.number, one.call.provenance, broken);
    }
}
