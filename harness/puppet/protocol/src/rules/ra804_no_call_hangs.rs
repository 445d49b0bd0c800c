//! # No call hangs
//!
//! ## What it requires
//! Every call returns in time.
//!
//! ## Why
//! A run of the agent waits for it, and the next one too.
//!
//! ## How it is judged
//! - Judged: each call, by its deadline (`deadlines` in `stickler.toml`).
//!
//! ## Example
//! `get` waits for a lock that nobody releases.
//!
//! ## How to fix
//! Give waits an end.
//!
//! ## Source
//! Good practice; Puppet's own limit is `runtimeout`, an hour.

use crate::reads::READS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.exchanges.iter().filter(|call| call.owed) {
        if call.is_quiet() {
            let us = session.case().deadlines.of(call.phase);
            let finding = ledger
                .finding(
                    call.number,
                    format!("no answer to `{}` within {} s", call.phase, us as f64 / 1e6),
                )
                .hang(call.provenance);
            ledger.report(finding);
        } else {
            ledger.pass(call.number);
        }
    }
}
