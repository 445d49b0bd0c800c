//! # Log messages are sent while the evaluation runs
//!
//! ## What it requires
//! Log messages of an evaluation that takes its time are sent when they are
//! written, not held until its end.
//!
//! ## Why
//! The agent prints them at once. Somebody who watches a long download sees
//! that it goes on.
//!
//! ## How it is judged
//! On evaluations of half a second and more with two log messages and more: the
//! first of them has to come clearly before the answer. Messages inside the
//! JSON object always come with it. This is advice.
//!
//! ## Example
//! A Python module prints log lines without `flush=True`, so that they stay in
//! a buffer until the answer is flushed.
//!
//! ## Source
//! CFEngine: Custom promise types, "Example response in JSON based protocol"
//! (log lines come first so that they can be printed meanwhile).

use crate::phase;
use crate::logs;
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Ledger};

/// Evaluations that take this long are judged, in microseconds.
const LONG: u64 = 500_000;

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::own(session, phase::EVALUATE) {
        let Some(held) = held(exchange) else {
            continue;
        };
        let broken = held.then_some("all log messages of a long evaluation came at its end");
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}

/// Were all log messages held to the end? `None` where that can't be said.
fn held(exchange: &Exchange) -> Option<bool> {
    let (took, answered) = (exchange.took()?, exchange.answered_at?);
    if took < LONG || exchange.late || exchange.logs().count() < 2 {
        return None;
    }
    let (first, _) = exchange.pieces.first()?;
    let before = answered.saturating_sub(*first);
    Some(before < (took / 20).min(50_000))
}
