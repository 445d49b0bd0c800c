//! # `set` returns nil
//!
//! ## What it requires
//! `set` returns nil.
//!
//! ## Why
//! A later runtime may read the value.
//!
//! ## How it is judged
//! - Judged: each call of `set` that returned.
//! - Not judged: providers that inherit `set` from SimpleProvider, which returns the changes.
//!
//! ## Example
//! A `set` that ends with `changes.each { … }` returns the changes.
//!
//! ## How to fix
//! End the method with `nil`.
//!
//! ## Source
//! Resource API specification, "Resource implementation". No runtime reads the value.

use crate::declared;
use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::SET) {
        let Some(class) = answer.text("class") else {
            continue;
        };
        if declared::inherits(session, call, "set") {
            continue;
        }
        let broken = (class != "NilClass").then(|| format!("it returned a value of class {class}"));
        ledger.check(call.number, call.provenance, broken);
    }
}
