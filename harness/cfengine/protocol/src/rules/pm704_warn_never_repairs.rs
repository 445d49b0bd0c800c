//! # Under warn nothing is `repaired`
//!
//! ## What it requires
//! An evaluation with `action_policy` warn never answers `repaired`.
//!
//! ## Why
//! `repaired` says that the system was changed. Either that is true, and the
//! change was not allowed, or it is false.
//!
//! ## How it is judged
//! On each evaluation with `warn` of a module that advertises `action_policy`.
//!
//! ## Example
//! A module skips the writing under `warn`, and goes on to the same answer as
//! ever.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy".

use crate::session::Session;
use crate::warn::evaluations;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in evaluations(session) {
        if !exchange.is("repaired") {
            ledger.pass(exchange.number);
            continue;
        }
        let finding = ledger
            .finding(exchange.number, "`repaired` under warn")
            .expected("kept or not_kept")
            .quote(b"repaired")
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
