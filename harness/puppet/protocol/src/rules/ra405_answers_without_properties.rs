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
//! - Not judged: exceptions for resources that are not the author's examples.
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
        // An exception may refuse a value that Stickler made up.
        let is_own = session.item(call).is_none_or(|item| item.original);
        let broken = match answer.failure() {
            Some(_) if !is_own => continue,
            Some(failure) => Some(format!("it raised {}", failure.in_words())),
            None => match answer.value("value") {
                Some(Value::Undef) => Some("it answered nil".to_owned()),
                _ => None,
            },
        };
        ledger.check(call.number, call.provenance, broken);
    }
}
