//! # `insync?` decides for types without properties
//!
//! ## What it requires
//! For a type without properties, the runtime calls `insync?` with `rsapi_custom_insync_trigger`.
//! The method returns true or false, never nil.
//!
//! ## Why
//! With nil, the runtime compares this hidden property itself, and it always differs.
//!
//! ## How it is judged
//! - Judged: results of calls with this name.
//! - Not judged: exceptions (RA402).
//!
//! ## Example
//! `case property when :content then … end` has no branch for it.
//!
//! ## How to fix
//! Compare the whole hashes for every property, and return true or false.
//!
//! ## Source
//! Resource API specification, "Using custom_insync in a resource without properties".

use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use puppet_types::Value;
use puppet_types::definition::TRIGGER;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::INSYNC) {
        let property = call.param("property");
        if property.as_ref().and_then(Value::as_str) != Some(TRIGGER) {
            continue;
        }
        if answer.failure().is_some() {
            continue;
        }
        let is_nil = answer.value("value") == Some(Value::Undef);
        let broken = is_nil.then_some("it answered nil");
        ledger.check(call.number, call.provenance, broken);
    }
}
