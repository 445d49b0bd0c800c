//! # A transport returns facts
//!
//! ## What it requires
//! `facts` returns some facts of the target.
//!
//! ## Why
//! Manifests depend on facts such as the operating system.
//!
//! ## How it is judged
//! - Judged: the hash that `facts` returned.
//!
//! ## Example
//! `def facts(context); {}; end`.
//!
//! ## How to fix
//! Return at least `'operatingsystem'` and `'hostname'`.
//!
//! ## Source
//! Resource API specification, "Transports", "Implementation".

use crate::phase;
use crate::session::Session;
use crate::targets::TARGETS;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(TARGETS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::FACTS) {
        if let Some(Value::Hash(facts)) = answer.value("value") {
            let broken = facts.is_empty().then_some("`facts` returned none");
            ledger.check(call.number, call.provenance, broken);
        }
    }
}
