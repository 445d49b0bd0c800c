//! # The module sends log messages while the evaluation runs
//!
//! ## What it requires
//! During a long evaluation, the module sends each log message at once and does not hold it
//! until the end.
//!
//! ## Why
//! The agent prints log messages at once. Somebody who watches a long download sees its
//! progress.
//!
//! ## How it is judged
//! - Judged: evaluations of half a second and more with at least two log messages: the first
//!   output must come clearly before the answer. This is advice.
//! - Judged: messages inside the JSON object, which always come with the answer, count as
//!   held.
//!
//! ## Example
//! A Python module prints log lines without `flush=True`, so they stay in a buffer until it
//! flushes the answer.
//!
//! ## How to fix
//! Print each message as a log line and flush it. Do not collect messages in the object's
//! list `log`.
//! - Python: `print(f"log_info={text}", flush=True)`. C: `fflush(stdout)`.
//! - Ruby: `$stdout.sync = true`. Perl: `$| = 1`. Shell: `printf` needs no flush.
//! - CFEngine's Python library sends each message at once.
//!
//! ## Source
//! CFEngine: Custom promise types, "Example response in JSON based protocol" (log lines come
//! first so that they can be printed meanwhile).

use crate::logs;
use crate::phase;
use crate::reads::OUTCOMES;
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Ledger};

/// Evaluations that take this long are judged, in microseconds.
const LONG: u64 = 500_000;

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::own(session, phase::EVALUATE) {
        let Some(held) = held(exchange) else {
            continue;
        };
        let broken = held.then_some("all log messages of a long evaluation came at its end");
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}

/// Did the module hold back all log messages until the end? `None` if that cannot be decided.
fn held(exchange: &Exchange) -> Option<bool> {
    let (took, answered) = (exchange.took()?, exchange.answered_at?);
    if took < LONG || exchange.late || exchange.logs().count() < 2 {
        return None;
    }
    let (first, _) = exchange.pieces.first()?;
    let before = answered.saturating_sub(*first);
    Some(before < (took / 20).min(50_000))
}
