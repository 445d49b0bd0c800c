//! # `Cmp` is nil for itself and for an equal resource
//!
//! ## What it requires
//! `Cmp` returns nil for the resource itself, and for another one with the same fields, before and
//! after `Init`.
//!
//! ## Why
//! At each swap, the engine replaces resources that differ. One that differs from itself is
//! restarted each time.
//!
//! ## How it is judged
//! - Judged: each comparison of a resource with itself or with one whose fields have the same
//!   values: those of the example, and another value of each field.
//!
//! ## Example
//! `Cmp` compares a private field that `Init` sets.
//!
//! ## How to fix
//! Compare public fields alone.
//!
//! ## Source
//! mgmt resource guide, "Cmp".

use crate::comparison::{Sides, comparisons};
use crate::reads::COMPARES;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(COMPARES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    comparisons(session, |call, sides| {
        let whom = match sides {
            Sides::Same => "itself",
            Sides::Alike => "an equal resource",
            Sides::Differ | Sides::Kinds => return,
        };
        if super::never_returns(
            call,
            ledger,
            format!("compared with {whom}, it does not return"),
        ) {
            return;
        }
        let broken = call
            .panic()
            .or_else(|| super::host_ended(call))
            .map(|panic| format!("compared with {whom}, it ends in a {panic}"))
            .or_else(|| {
                call.error()
                    .map(|error| format!("compared with {whom}, it differs: {error}"))
            });
        ledger.check(call.number, call.provenance, broken);
    });
}
