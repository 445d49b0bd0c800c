//! # The engine cleans a resource up once, after `Init` and as the last call
//!
//! ## What it requires
//! `Cleanup` (`Close` before) is called at most once, only after `Init`, and nothing of the instance
//! begins or ends after it began.
//!
//! ## Why
//! It frees what `Init` opened. A call that still runs, or comes later, uses what is closed.
//!
//! ## How it is judged
//! - Judged: each call of `Cleanup`.
//! - Not judged: whether it is called at all, since an engine may be stopped.
//!
//! ## Example
//! ```text
//! → noted {"vertex":"a@1","call":"cleanup","begin":7,"end":8}
//! → noted {"vertex":"a@1","call":"checkapply","begin":9,"end":10}
//! ```
//! The resource is used after its end.
//!
//! ## How to fix
//! End the vertex's workers, wait for them, and then call `Cleanup`.
//!
//! ## Source
//! mgmt resource guide, "Close".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It is cleaned up again.
const AGAIN: Variant = Variant::new("again");
/// It was not initialized.
const EARLY: Variant = Variant::new("early");
/// A call runs, or comes later.
const USED: Variant = Variant::new("used");

fn check(session: &Session, ledger: &mut Ledger) {
    let all = view::noted(session);
    for one in all.iter().filter(|one| one.what == "cleanup") {
        let own = || all.iter().filter(|other| other.vertex == one.vertex);
        let vertex = one.vertex;
        let is_call = |what: &str| ["watch_begin", "watch_end", "checkapply"].contains(&what);
        let again = own().any(|other| other.what == "cleanup" && other.begin < one.begin);
        let is_begun = own().any(|other| other.what == "init" && other.is_before(one));
        let used = own().find(|other| {
            is_call(other.what)
                && (other.begin > one.begin || other.end.is_some_and(|end| end > one.begin))
        });
        let broken = match (again, is_begun, used) {
            (true, ..) => Some(AGAIN.says(format!("`{vertex}` is cleaned up again"))),
            (_, false, _) => Some(EARLY.says(format!("`{vertex}` is cleaned up without `Init`"))),
            (.., Some(used)) => Some(USED.says(format!(
                "`{}` of `{vertex}` runs or begins after its cleanup",
                match used.what {
                    "checkapply" => "CheckApply",
                    _ => "Watch",
                }
            ))),
            _ => None,
        };
        ledger.check(one.call.number, one.call.provenance, broken);
    }
}
