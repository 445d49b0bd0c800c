//! # `Cmp` changes neither side
//!
//! ## What it requires
//! `Cmp` changes no field of either resource.
//!
//! ## Why
//! The engine compares the resource that runs with a new one. A change there is a change of what
//! runs.
//!
//! ## How it is judged
//! - Judged: all public fields of both sides before and after each comparison.
//!
//! ## Example
//! `Cmp` sorts a list in place before it compares.
//!
//! ## How to fix
//! Compare copies.
//!
//! ## Source
//! mgmt resource guide, "Cmp".

use crate::fields::changed_by;
use crate::phase;
use crate::reads::COMPARES;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(COMPARES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::CMP).filter(|call| call.returns()) {
        let sides = [call.resource(), call.param("other").unwrap_or_default()];
        let field = sides
            .into_iter()
            .find_map(|label| changed_by(session, call, label));
        let broken = field.map(|field| format!("`Cmp` changes the field {field}"));
        ledger.check(call.number, call.provenance, broken);
    }
}
