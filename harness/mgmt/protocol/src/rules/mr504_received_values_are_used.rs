//! # Received values are used
//!
//! ## What it requires
//! When a field receives a new value, the next `CheckApply` works with it: afterwards, a new resource
//! that has the value from the start finds the state right. `Recv` is only called with the trait
//! Recvable.
//!
//! ## Why
//! The engine sets the field of the running resource, between two calls.
//!
//! ## How it is judged
//! - Judged: another value for each field of a kind with the trait, set after an apply, with `Changed`
//!   in `Recv`.
//! - Not judged: values that `Validate` refuses, and those with which a new resource does not work
//!   either.
//!
//! ## Example
//! `Init` copies the field, and `CheckApply` uses the copy.
//!
//! ## How to fix
//! Read public fields in `CheckApply`.
//!
//! ## Source
//! mgmt resource guide, "Send/Recv".

use crate::phase;
use crate::purpose;
use crate::relation;
use crate::session::Session;
use crate::visit::fate;
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::{Fate, Purpose};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::RECEIVED], check)];

/// The new value is not used.
const UNUSED: Variant = Variant::new("unused");
/// It fails with the new value.
const FAILS: Variant = Variant::new("fails");
/// It lacks the trait.
const NO_TRAIT: Variant = Variant::new("no-trait");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::CHECKAPPLY) {
        if let Some(panic) = call.lacks_trait("Recvable") {
            ledger.check(call.number, call.provenance, Some(NO_TRAIT.says(panic)));
        }
    }
    let Some(receives) = session
        .calls(phase::RECEIVES)
        .find(|call| call.key.turn_of(purpose::RECEIVES).is_some())
    else {
        return;
    };
    let calls = |purpose: Purpose, turn: usize, is_own: bool| {
        let mut calls = session.checked(purpose, turn);
        calls.find(move |call| (call.resource() == receives.resource()) == is_own)
    };
    let found = (
        calls(Purpose::EVALUATE, 2, true),
        calls(Purpose::LOOK, 1, false),
        calls(Purpose::EVALUATE, 1, false),
        calls(Purpose::LOOK, 2, false),
    );
    let (Some(told), Some(looked), Some(applied), Some(later)) = found else {
        return;
    };
    let refused = session
        .calls(phase::VALIDATE)
        .any(|call| call.error().is_some());
    // The control: what has nothing to do with the value needs no second call.
    let is_settled = session
        .checked(purpose::SETTLED, 1)
        .all(|call| fate(call) != Some(Fate::Changed));
    // The control: a new resource works with the value.
    if refused
        || !is_settled
        || !applied.succeeds()
        || !later.succeeds()
        || later.ok() != Some(true)
    {
        return;
    }
    let broken = match told.why_it_fails() {
        Some(why) => Some(FAILS.says(format!("with the value that it receives, it fails: {why}"))),
        None if looked.ok() == Some(false) && fate(applied) == Some(Fate::Changed) => {
            let field = session
                .item(looked)
                .and_then(|item| item.field.clone())
                .unwrap_or_default();
            Some(UNUSED.says(format!("the value that `{field}` receives is not used")))
        }
        None => None,
    };
    ledger.check_against(told.number, looked.number, told.provenance, broken);
}
