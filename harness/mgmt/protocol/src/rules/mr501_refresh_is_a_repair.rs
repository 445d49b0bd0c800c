//! # A refresh respects `apply`, and leaves the state right
//!
//! ## What it requires
//! Only resources with the trait Refreshable call `Refresh`. A refresh with `apply` false changes
//! nothing. After one with `apply` true, the state is right.
//!
//! ## Why
//! Without the trait, the engine's function panics. A graph with noop must not restart a service.
//!
//! ## How it is judged
//! - Judged: panics of `Refresh`; a refresh after an apply that succeeded: first one that may only
//!   look, then one that may change, then two calls without a refresh.
//!
//! ## Example
//! `CheckApply` restarts its service if `Refresh()` is true, before it looks at `apply`.
//!
//! ## How to fix
//! Embed `traits.Refreshable`, and return `false, nil` before the refresh if `apply` is false.
//!
//! ## Source
//! mgmt resource guide, "Refresh".

use crate::phase;
use crate::purpose;
use crate::relation;
use crate::session::Session;
use crate::visit::fate;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::visible;
use stickler_transcript::{Fate, Purpose};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::REFRESHED], check)];

/// It lacks the trait.
const NO_TRAIT: Variant = Variant::new("no-trait");
/// A refresh that may only look changes something.
const DRY: Variant = Variant::new("dry");
/// A refresh fails.
const FAILS: Variant = Variant::new("fails");
/// The state is wrong afterwards.
const WRONG: Variant = Variant::new("wrong");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::CHECKAPPLY) {
        if let Some(panic) = call.lacks_trait("Refreshable") {
            ledger.check(call.number, call.provenance, Some(NO_TRAIT.says(panic)));
        }
    }
    let called = |purpose: Purpose| session.checked(purpose, 1).next();
    if let Some(dry) = called(purpose::DRY_REFRESH) {
        let effect = dry.effects.as_ref().and_then(|effects| effects.first());
        let broken = effect.map(|change| {
            DRY.says(format!(
                "a refresh with `apply` false changes {}",
                visible(&change.path)
            ))
        });
        ledger.check(dry.number, dry.provenance, broken);
    }
    let Some(refresh) = called(purpose::REFRESH) else {
        return;
    };
    // What never works says nothing of a refresh.
    if called(Purpose::EVALUATE).is_none_or(|applied| !applied.succeeds()) {
        return;
    }
    if !refresh.succeeds() {
        let why = refresh.error();
        let broken = why.map(|why| FAILS.says(format!("a refresh fails: {why}")));
        ledger.check(refresh.number, refresh.provenance, broken);
        return;
    }
    let mut later = session.calls(phase::CHECKAPPLY).filter(|call| {
        call.number > refresh.number && call.resource() == refresh.resource() && call.succeeds()
    });
    let settled = session.calls(phase::CHECKAPPLY);
    let settled = settled.filter(|call| call.key.part_of(purpose::SETTLED).is_some());
    // What is never right is not made wrong by a refresh.
    if settled.last().and_then(fate) == Some(Fate::Changed) {
        return;
    }
    if let Some(next) = later.next() {
        let broken =
            (next.ok() == Some(false)).then(|| WRONG.says("after a refresh, the state is wrong"));
        ledger.check_against(refresh.number, next.number, next.provenance, broken);
    }
}
