//! # The engine initializes only resources that are valid
//!
//! ## What it requires
//! `Validate` returns without an error before `Init` is called.
//!
//! ## Why
//! `Init` may rely on it, and an invalid resource must not begin.
//!
//! ## How it is judged
//! - Judged: each call of `Init`.
//! - Not judged: hidden resources, which never run.
//!
//! ## Example
//! ```text
//! → noted {"vertex":"a@1","call":"validate","err":"no path","begin":1,"end":2}
//! → noted {"vertex":"a@1","call":"init","begin":3,"end":4}
//! ```
//! The resource is not valid.
//!
//! ## How to fix
//! Call `Validate` when the graph is built, and refuse the graph if it returns an error.
//!
//! ## Source
//! mgmt resource guide, "Validate" and "Init".

use super::view::{self, Known};
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// Nobody asked.
const UNASKED: Variant = Variant::new("unasked");
/// It said that it is not.
const INVALID: Variant = Variant::new("invalid");

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    let inits = all.iter().filter(|one| one.what == "init");
    for one in inits.filter(|one| !known.hidden.contains(one.name())) {
        let mut earlier = all.iter().filter(|other| {
            other.what == "validate" && other.vertex == one.vertex && other.is_before(one)
        });
        let last = earlier.next_back();
        let vertex = one.vertex;
        let broken = match last {
            None => Some(UNASKED.says(format!("`{vertex}` is initialized without `Validate`"))),
            Some(last) if last.fails() => {
                Some(INVALID.says(format!("`{vertex}` is initialized, but is not valid")))
            }
            Some(_) => None,
        };
        ledger.check(one.call.number, one.call.provenance, broken);
    }
}
