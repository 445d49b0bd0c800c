//! # Every call is answered
//!
//! ## What it requires
//! Every call returns in time, and no call ends the process.
//!
//! ## Why
//! A run of the agent waits for it, and the next one too.
//!
//! ## How it is judged
//! - Judged: each call, by its deadline (`deadlines` in `stickler.toml`); whether the process still runs
//!   after it.
//! - Not judged: processes that Stickler kills itself.
//!
//! ## Example
//! `get` waits for a lock that nobody releases; a library calls `exit!`.
//!
//! ## How to fix
//! Give waits an end. Raise an exception in place of an exit.
//!
//! ## Source
//! Good practice; Puppet's own limit is `runtimeout`, an hour.

use crate::reads::READS;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::Ended;
use stickler_transcript::ExitCause;

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// The process ended.
const DIES: Variant = Variant::new("dies");

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
        } else if let Ended::Exited(cause) = call.ended {
            let why = match cause {
                ExitCause::Code(code) => format!("it exited with code {code}"),
                ExitCause::Signal(signal) => format!("signal {signal} ended it"),
                ExitCause::Lost => continue,
            };
            let broken = DIES.says(format!("no answer to `{}`: {why}", call.phase));
            ledger.check(call.number, call.provenance, Some(broken));
        } else {
            ledger.pass(call.number);
        }
    }
}
