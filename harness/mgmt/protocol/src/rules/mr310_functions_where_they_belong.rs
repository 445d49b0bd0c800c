//! # Functions of `Init` are called where they belong
//!
//! ## What it requires
//! `Running` and `Event` are called in `Watch` alone; `Refresh`, `Send` and `Recv` in `CheckApply`
//! alone.
//!
//! ## Why
//! The engine hands them out for these calls. Elsewhere, they wait for ever, or tell what is not
//! so.
//!
//! ## How it is judged
//! - Judged: each call of these functions.
//!
//! ## Example
//! `Watch` asks `obj.init.Refresh()` whether it has to reload.
//!
//! ## How to fix
//! Ask in `CheckApply`, and send an event from `Watch`.
//!
//! ## Source
//! mgmt resource guide, "Running", "Event", "Refresh", "Send", "Recv".

use crate::phase;
use crate::reads::WATCHES;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(WATCHES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in &session.exchanges {
        let misuse = call.told.iter().find(|told| told.method == "misuse");
        match misuse {
            Some(told) => {
                let word = |key| told.text(key).unwrap_or_default();
                let message = format!("`{}` is called {}", word("call"), word("where"));
                let finding = ledger.finding(call.number, message);
                ledger.report(finding.graded(call.provenance));
            }
            None if [phase::CHECKAPPLY, phase::AWAIT].contains(&call.phase) && call.returns() => {
                ledger.pass(call.number);
            }
            None => {}
        }
    }
}
