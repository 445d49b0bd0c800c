//! # `Watch` leaves nothing behind
//!
//! ## What it requires
//! When `Watch` has returned, its goroutines, descriptors and processes are gone.
//!
//! ## Why
//! What is left behind adds up with each restart and each swap.
//!
//! ## How it is judged
//! - Judged: what the host counts before `Watch` is started and after it was told to end.
//!
//! ## Example
//! A goroutine waits for the next event of a watcher that is closed.
//!
//! ## How to fix
//! Close what was opened with `defer`, and wait for goroutines with a `sync.WaitGroup`.
//!
//! ## Source
//! The interface of resources: nothing runs after `Watch` has returned.

use crate::counts::{around, more};
use crate::phase;
use crate::relation;
use crate::session::Session;
use crate::watched::{has_ended, watched};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::WATCHED], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for watch in watched(session) {
        let Some(cancel) = watch.cancel().filter(|call| has_ended(call) == Some(true)) else {
            continue;
        };
        let Some((before, after)) = around(session, watch.start, cancel) else {
            continue;
        };
        // What begins in between has things of its own.
        let between = before.number..after.number;
        let mut others = session
            .exchanges
            .iter()
            .filter(|call| between.contains(&call.number));
        let is_other = |call: &crate::Call| {
            call.phase == phase::INIT
                || call.phase == phase::WATCH && call.number != watch.start.number
        };
        if others.any(is_other) {
            continue;
        }
        let broken = more(before, after)
            .map(|more| format!("after `Watch` has returned, there is {more} more than before"));
        ledger.check(after.number, cancel.provenance, broken);
    }
}
