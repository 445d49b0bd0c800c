//! # `Watch` never panics
//!
//! ## What it requires
//! `Watch` returns, with an error or without.
//!
//! ## Why
//! The engine recovers the panic. One in a goroutine of the resource ends mgmt.
//!
//! ## How it is judged
//! - Judged: each call of `Watch`; a host that ends while it runs.
//!
//! ## Example
//! A closed channel is closed again at the end of `Watch`.
//!
//! ## How to fix
//! Return an error instead.
//!
//! ## Source
//! The interface of resources: an error is how a call fails.

use crate::reads::WATCHES;
use crate::session::Session;
use crate::watched::watched;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(WATCHES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for watch in watched(session) {
        let died = watch.calls.iter().find_map(|call| {
            let errors = String::from_utf8_lossy(&call.errors);
            // The stack tells in which method the goroutine was, or which one started it.
            let is_own = errors.contains(").Watch");
            Some((call.number, super::host_ended(call).filter(|_| is_own)?))
        });
        match watch
            .panic()
            .map(|(number, text)| (number, format!("panic: {text}")))
            .or(died)
        {
            Some((number, panic)) => {
                let message = format!("`Watch` ends in a {panic}");
                let finding = ledger.finding(number, message);
                ledger.report(finding.graded(watch.start.provenance));
            }
            None => ledger.pass(watch.start.number),
        }
    }
}
