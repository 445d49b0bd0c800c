//! # Under warn an evaluation sends no info messages
//!
//! ## What it requires
//! An evaluation with `action_policy` warn sends no log message of level `info`.
//!
//! ## Why
//! Info messages report changes. If one arrives under `warn`, cf-agent assumes a forbidden
//! change and reports it with a critical message.
//!
//! ## How it is judged
//! - Judged: every answered evaluation with `warn`, if the module advertises `action_policy`.
//! - Not judged: evaluations that answer `repaired` (PM704), which have an info message
//!   anyway.
//!
//! ## Example
//! ```text
//! ← log_info=Checking file '{dir}/greeting'
//! ← log_warning=Should update file '{dir}/greeting', but only warnings promised
//! ← {"operation": "evaluate_promise", "result": "not_kept"}
//! ```
//!
//! ## How to fix
//! Send progress at level `verbose`. Put the info message right behind the change that it
//! reports, so that `warn` never reaches it.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy" and "Logging".

use crate::logs::find;
use crate::relation;
use crate::session::Session;
use crate::warn::evaluations;
use stickler_judge::{Check, Ledger, Relation};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[Relation::DRIFT, relation::POLICIES, Relation::WARN],
    check,
)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in evaluations(session).filter(|exchange| !exchange.is("repaired")) {
        let Some(message) = find(exchange, &["info"]) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, "a log message of level info under warn")
            .expected("no info message")
            .quote(message)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
