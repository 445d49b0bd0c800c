//! # `Watch` leaves nothing behind
//!
//! ## What it requires
//! When `Watch` has returned, its goroutines, descriptors and processes are gone.
//!
//! ## Why
//! What is left behind adds up with each restart and each swap.
//!
//! ## How it is judged
//! - Judged: what the host counts before `Watch` is started and after it was told to end. A goroutine is told
//!   with the call that started it.
//! - Not judged: what `CheckApply` leaves without `Watch`, too (MR118); programs that it has started, and what waits
//!   for them.
//!
//! ## Example
//! A goroutine waits for the next event of a watcher that is closed.
//!
//! ## How to fix
//! Close what was opened with `defer`, and wait for goroutines with a `sync.WaitGroup`.
//!
//! ## Source
//! The interface of resources: nothing runs after `Watch` has returned.

use crate::counts::{CHILDREN, MayStay, More, all_more, around, may_stay};
use crate::phase;
use crate::relation;
use crate::session::{Call, Session};
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
        let is_other = |call: &Call| {
            call.phase == phase::INIT
                || call.phase == phase::WATCH && call.number != watch.start.number
        };
        if others.any(is_other) {
            continue;
        }
        // What each call of `CheckApply` leaves, it leaves without `Watch`, too.
        let own = by_checkapply(session, before.process);
        let may_stay = may_stay(session, before, after);
        let mut more = all_more(before, after, may_stay);
        if may_stay == MayStay::Programs {
            more.retain(|one| !own.iter().any(|known| one.is_like(known)));
        }
        let children = more.iter().skip(1).find(|one| one.name == CHILDREN);
        let children = children.map_or_else(String::new, |one| format!(", and {}", one.words));
        let broken = more.first().map(|more| {
            let (words, origin) = (&more.words, &more.origin);
            format!(
                "after `Watch` has returned, there is {words} more than before{origin}{children}"
            )
        });
        ledger.check(after.number, cancel.provenance, broken);
    }
}

/// What calls of `CheckApply` leave in a process while nothing else is called.
fn by_checkapply(session: &Session, process: usize) -> Vec<More> {
    let counts: Vec<&Call> = session
        .calls(phase::COUNTS)
        .filter(|call| call.process == process)
        .collect();
    let alone = |pair: &&[&Call]| {
        let between = pair[0].number + 1..pair[1].number;
        let mut calls = session.exchanges.iter();
        !between.is_empty()
            && calls.all(|call| {
                let is_apply = [phase::VALIDATE, phase::CHECKAPPLY].contains(&call.phase);
                is_apply || !between.contains(&call.number)
            })
    };
    let pairs = counts.windows(2).filter(alone);
    let left = pairs.flat_map(|pair| all_more(pair[0], pair[1], MayStay::Programs));
    left.collect()
}
