//! # `Watch` never ends by itself without an error
//!
//! ## What it requires
//! While it is not told to end, `Watch` runs, or returns an error.
//!
//! ## Why
//! A Watch that returns nil counts as done. The engine never starts it again, and the resource is
//! silently dead.
//!
//! ## How it is judged
//! - Judged: each call of `Watch` until it is told to end, also one whose folder is removed with all that is
//!   in it.
//!
//! ## Example
//! `if !ok { return nil }` when a channel of events is closed, as some watchers do when their folder goes.
//!
//! ## How to fix
//! Return an error there.
//!
//! ## Source
//! mgmt resource guide, "Watch".

use crate::reads::WATCHES;
use crate::session::Session;
use crate::watched::watched;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(WATCHES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for watch in watched(session) {
        match watch.ended_early() {
            Some((number, None, None)) => {
                let finding =
                    ledger.finding(number, "`Watch` returned nil, and nobody told it to end");
                ledger.report(finding.graded(watch.start.provenance));
            }
            Some(_) => {}
            None => ledger.pass(watch.start.number),
        }
    }
}
