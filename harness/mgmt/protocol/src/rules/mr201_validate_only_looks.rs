//! # `Validate` changes nothing
//!
//! ## What it requires
//! `Validate` changes neither the system nor the fields of the resource.
//!
//! ## Why
//! The engine calls it before it decides whether the graph runs at all, and again after values were
//! received.
//!
//! ## How it is judged
//! - Judged: the changes of files during each call; all public fields before and after it.
//!
//! ## Example
//! `Validate` sets a missing field to its default.
//!
//! ## How to fix
//! Set defaults in `Default`, and derived values in `Init`.
//!
//! ## Source
//! mgmt resource guide, "Validate".

use crate::fields::changed_by;
use crate::phase;
use crate::reads::KINDS;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::visible;

pub(super) const CHECKS: super::Checks = &[Check::Session(KINDS, check)];

/// A file changes.
const SYSTEM: Variant = Variant::new("system");
/// A field changes.
const FIELD: Variant = Variant::new("field");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::VALIDATE) {
        let effect = call.effects.as_ref().and_then(|effects| effects.first());
        let field = changed_by(session, call, call.resource());
        let broken = effect
            .map(|change| SYSTEM.says(format!("`Validate` changed {}", visible(&change.path))))
            .or_else(|| field.map(|field| FIELD.says(format!("`Validate` changes the field {field}"))));
        ledger.check(call.number, call.provenance, broken);
    }
}
