//! # Under warn an evaluation never answers `repaired`
//!
//! ## What it requires
//! An evaluation with `action_policy` warn never answers `repaired`.
//!
//! ## Why
//! `repaired` says that the module changed the system. Either that is true, and the change was
//! forbidden, or it is false.
//!
//! ## How it is judged
//! - Judged: every answered evaluation with `warn`, if the module advertises `action_policy`.
//!
//! ## Example
//! A module skips the write under `warn`, and then answers `repaired` as usual.
//!
//! ## How to fix
//! Return in the branch for `warn`: a warning, and `not_kept`. The code that changes
//! something and answers `repaired` comes after it, so `warn` never reaches it.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy".

use crate::relation;
use crate::session::Session;
use crate::warn::evaluations;
use stickler_judge::{Check, Ledger, Relation};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[Relation::DRIFT, relation::POLICIES, Relation::WARN],
    check,
)];

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
