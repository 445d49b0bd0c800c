//! # Types are named and made as the guide asks
//!
//! ## What it requires
//! The type of a resource ends in `Res`, and embeds `traits.Base`.
//!
//! ## Why
//! Readers find resources by their names, and `traits.Base` has what each resource needs.
//!
//! ## How it is judged
//! - Judged: the type of each kind.
//!
//! ## Example
//! `type Foo struct { … }`
//!
//! ## How to fix
//! Call it `FooRes`, and embed `traits.Base`.
//!
//! ## Source
//! mgmt resource guide, "Resource struct".

use crate::phase;
use crate::reads::KINDS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(KINDS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::DESCRIBE) {
        let Some(kind) = call.param("kind").and_then(|kind| session.kinds.get(kind)) else {
            continue;
        };
        let name = &kind.type_name;
        let broken = match (name.ends_with("Res"), kind.base) {
            (false, _) => Some(format!("the type `{name}` does not end in `Res`")),
            (true, false) => Some(format!("the type `{name}` does not embed `traits.Base`")),
            (true, true) => None,
        };
        ledger.check(call.number, call.provenance, broken);
    }
}
