//! # A provider does not modify its type's definition
//!
//! ## What it requires
//! A provider leaves the definition of its type unchanged.
//!
//! ## Why
//! All resources of the type share it.
//!
//! ## How it is judged
//! - Judged: each call of `set`, if the host reports whether the definition changed.
//!
//! ## Example
//! `context.type.attributes.delete(:source)`.
//!
//! ## How to fix
//! Copy the hash before you change it: `context.type.attributes.dup`.
//!
//! ## Source
//! Resource API specification, "Type Definition".

use crate::message::Answer;
use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use stickler_json::Json;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::SET) {
        let Answer::Result(result) = answer else {
            continue;
        };
        let Some(Json::Bool(changed)) = result.get("definition_changed") else {
            continue;
        };
        let broken = changed.then_some("the definition of the type was changed");
        ledger.check(call.number, call.provenance, broken);
    }
}
