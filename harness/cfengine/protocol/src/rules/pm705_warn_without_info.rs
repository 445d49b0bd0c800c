//! # Under warn there are no info messages
//!
//! ## What it requires
//! An evaluation with `action_policy` warn sends no log message of level `info`.
//!
//! ## Why
//! Info messages tell of changes that were made. cf-agent takes one under `warn`
//! for a change that was not allowed, and says so with a critical message.
//!
//! ## How it is judged
//! On each evaluation with `warn` of a module that advertises `action_policy`. One
//! that answers `repaired` is PM704's matter: its info message only goes with it.
//!
//! ## Example
//! ```text
//! ← log_info=Checking file '{dir}/greeting'
//! ← log_warning=Should update file '{dir}/greeting', but only warnings promised
//! ← {"operation": "evaluate_promise", "result": "not_kept"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy" and "Logging".

use crate::logs::find;
use crate::session::Session;
use crate::warn::evaluations;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
