//! # `Copy` is deep, and equals its source
//!
//! ## What it requires
//! A copy equals its source, and shares no map, slice or pointer with it.
//!
//! ## Why
//! The engine changes copies, such as those for reversals, while their source runs.
//!
//! ## How it is judged
//! - Judged: each kind that has the method `Copy`.
//!
//! ## Example
//! `return &FooRes{List: obj.List}`
//!
//! ## How to fix
//! Make new maps and slices in `Copy`.
//!
//! ## Source
//! The interface `CopyableRes`.

use crate::comparison::{Sides, comparisons, is_copy};
use crate::fields::shared_paths;
use crate::phase;
use crate::relation;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::RESOURCES], check)];

/// It panics.
const PANICS: Variant = Variant::new("panics");
/// It shares something.
const SHARED: Variant = Variant::new("shared");
/// It differs.
const DIFFERS: Variant = Variant::new("differs");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::COPY) {
        if let Some(panic) = call.panic() {
            let broken = PANICS.says(format!("`Copy` ends in a {panic}"));
            ledger.check(call.number, call.provenance, Some(broken));
        }
    }
    for call in session
        .calls(phase::SHARED)
        .filter(|call| is_copy(session, call))
    {
        let shared = shared_paths(call);
        let broken = shared
            .first()
            .map(|path| SHARED.says(format!("the copy shares {path} with its source")));
        ledger.check(call.number, call.provenance, broken);
    }
    comparisons(session, |call, sides| {
        if sides != Sides::Alike || !is_copy(session, call) {
            return;
        }
        let broken = call
            .error()
            .map(|error| DIFFERS.says(format!("the copy differs from its source: {error}")));
        ledger.check(call.number, call.provenance, broken);
    });
}
