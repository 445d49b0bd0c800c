//! # `Cmp` is symmetric, and takes other kinds
//!
//! ## What it requires
//! If one resource equals another, the other equals the one. Compared with another kind, `Cmp`
//! returns an error and does not panic.
//!
//! ## Why
//! The engine compares in one direction only, and which one is its own choice.
//!
//! ## How it is judged
//! - Judged: pairs of comparisons in both directions; comparisons with another kind.
//!
//! ## Example
//! `res := r.(*FooRes)` without a check panics for another kind.
//!
//! ## How to fix
//! Write `res, ok := r.(*FooRes)`, and compare the same fields in both directions.
//!
//! ## Source
//! mgmt resource guide, "Cmp".

use crate::comparison::{Sides, comparisons};
use crate::phase;
use crate::reads::COMPARES;
use crate::session::{Call, Session};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(COMPARES, check)];

/// It panics.
const PANICS: Variant = Variant::new("panics");
/// Another kind is equal.
const OTHER_KIND: Variant = Variant::new("other-kind");
/// The other direction says something else.
const ONE_WAY: Variant = Variant::new("one-way");

fn check(session: &Session, ledger: &mut Ledger) {
    let mut compared: Vec<&Call> = Vec::new();
    comparisons(session, |call, sides| {
        if sides == Sides::Kinds {
            let broken = match (call.panic(), call.error()) {
                (Some(panic), _) => {
                    Some(PANICS.says(format!("compared with another kind, it ends in a {panic}")))
                }
                (None, None) if call.returns() => {
                    Some(OTHER_KIND.says("it equals a resource of another kind"))
                }
                _ => None,
            };
            ledger.check(call.number, call.provenance, broken);
            return;
        }
        let other = call.param("other");
        let back = compared.iter().rev().find(|back| {
            Some(back.resource()) == other
                && back.param("other") == Some(call.resource())
                && back.process == call.process
        });
        // Only comparisons right after one another are about the same state.
        let since = |back: &&&Call| {
            let between = back.number + 1..call.number;
            let mut others = session
                .exchanges
                .iter()
                .filter(|one| between.contains(&one.number));
            !others.any(|one| [phase::INIT, phase::SET, phase::CLEANUP].contains(&one.phase))
        };
        if let Some(back) = back
            .filter(since)
            .filter(|back| back.returns() && call.returns())
        {
            let broken = (back.error().is_some() != call.error().is_some())
                .then(|| ONE_WAY.says("in one direction it is equal, and in the other it is not"));
            ledger.check_against(back.number, call.number, call.provenance, broken);
        }
        compared.push(call);
    });
}
