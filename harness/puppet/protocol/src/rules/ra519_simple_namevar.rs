//! # The namevar of a SimpleProvider is called `name`
//!
//! ## What it requires
//! If a provider inherits `set` from SimpleProvider and its type has one namevar, this namevar is
//! called `name`.
//!
//! ## Why
//! SimpleProvider looks resources up by this key.
//!
//! ## How it is judged
//! - Judged: the namevar of each type with such a provider.
//!
//! ## Example
//! `path: { type: 'String', behaviour: :namevar }`.
//!
//! ## How to fix
//! Call it `name`, or write `set` without SimpleProvider.
//!
//! ## Source
//! Resource API specification, "Implementing simple providers". puppet-resource_api 1.8.16 needs it
//! only where a change has no `:is`.

use crate::declared::is_simple;
use crate::phase;
use crate::reads::DEFINITIONS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::OPEN) {
        let Some(definition) = session.definition_of(call).filter(|_| is_simple(answer)) else {
            continue;
        };
        if let [namevar] = definition.namevars()[..] {
            let broken = (namevar != "name")
                .then(|| format!("the provider is simple, and the namevar is called `{namevar}`"));
            ledger.check(call.number, call.provenance, broken);
        }
    }
}
