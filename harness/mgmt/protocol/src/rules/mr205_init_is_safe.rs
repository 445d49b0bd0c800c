//! # `Init` is safe, even without `Validate`
//!
//! ## What it requires
//! `Init` changes nothing of the managed state, and never panics, also with values that `Validate`
//! refuses.
//!
//! ## Why
//! A program that uses mgmt as a library may skip `Validate`. What `Init` does then must do no
//! harm.
//!
//! ## How it is judged
//! - Judged: the changes of files during each call, those in the folder of `VarDir` excluded;
//!   panics.
//!
//! ## Example
//! `Init` removes the file of a resource that is to be absent.
//!
//! ## How to fix
//! Change the state in `CheckApply` alone.
//!
//! ## Source
//! mgmt resource guide, "Init".

use crate::phase;
use crate::reads::BEGINS;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::visible;

pub(super) const CHECKS: super::Checks = &[Check::Session(BEGINS, check)];

/// A file changes.
const SYSTEM: Variant = Variant::new("system");
/// It never returns.
const HANGS: Variant = Variant::new("hangs");
/// It panics.
const PANICS: Variant = Variant::new("panics");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::INIT) {
        if super::never_returns(call, ledger, HANGS.says("`Init` does not return")) {
            continue;
        }
        let effect = call.effects.as_ref().and_then(|effects| effects.first());
        // Where no folder can be made, it is another rule's.
        if session.has_no_folder(call) {
            continue;
        }
        let panic = call.panic().or_else(|| super::host_ended(call));
        let broken = panic
            .map(|panic| PANICS.says(format!("`Init` ends in a {panic}")))
            .or_else(|| {
                effect
                    .map(|change| SYSTEM.says(format!("`Init` changed {}", visible(&change.path))))
            });
        ledger.check(call.number, call.provenance, broken);
    }
}
