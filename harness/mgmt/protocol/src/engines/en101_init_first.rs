//! # The engine initializes a resource once, before it watches or checks it
//!
//! ## What it requires
//! `Init` is called once, and returns without an error before `Watch` and `CheckApply` are called.
//!
//! ## Why
//! A resource stores there what the engine gives it. Without it, it panics at first use.
//!
//! ## How it is judged
//! - Judged: each call of `Init`, `Watch` and `CheckApply` of an instance.
//!
//! ## Example
//! ```text
//! → noted {"vertex":"a@1","call":"watch_begin","begin":1,"end":2}
//! ```
//! `Init` was never called.
//!
//! ## How to fix
//! Call `Init` for each vertex when the graph is committed, before any worker starts.
//!
//! ## Source
//! mgmt resource guide, "Init".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It is initialized again.
const AGAIN: Variant = Variant::new("again");
/// It is used without.
const NEVER: Variant = Variant::new("never");

fn check(session: &Session, ledger: &mut Ledger) {
    let all = view::noted(session);
    for one in &all {
        let mut inits = all
            .iter()
            .filter(|init| init.what == "init" && init.vertex == one.vertex);
        let vertex = one.vertex;
        let broken = match one.what {
            "init" => inits
                .any(|init| init.begin < one.begin)
                .then(|| AGAIN.says(format!("`{vertex}` is initialized again"))),
            "watch_begin" | "checkapply" => (!inits
                .any(|init| init.is_before(one) && !init.fails()))
            .then(|| NEVER.says(format!("`{vertex}` is used without a successful `Init`"))),
            _ => continue,
        };
        ledger.check(one.call.number, one.call.provenance, broken);
    }
}
