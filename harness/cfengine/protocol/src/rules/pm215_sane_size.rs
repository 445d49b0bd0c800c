//! # Answers to small requests stay small
//!
//! ## What it requires
//! The module answers a request of less than 16 KiB with at most 256 KiB, log messages
//! included.
//!
//! ## Why
//! The agent keeps an answer in memory, and prints and stores its log messages. The complete
//! output of a program hides what matters.
//!
//! ## How it is judged
//! - Judged: everything that the module prints between a request and the next one; endless
//!   output counts too.
//! - Not judged: output after the end of input (PM214); answers that may belong to an earlier
//!   request.
//!
//! ## Example
//! A module logs every file that it checked, one info message each.
//!
//! ## How to fix
//! Log a summary, such as "Changed 3 of 4711 files", or only what changed. From the output of
//! a program, log the last lines:
//! - Python: `lines = [line for line in output.splitlines() if line.strip()][-5:]`
//! - Shell: `printf '%s\n' "$output" | grep '[^[:space:]]' | tail -n 5`
//!
//! ## Source
//! Good practice; the specification sets no limit. cf-agent reads without limit until its
//! memory is used up, and miscounts 65536 info messages.

use crate::ending::out_of_step;
use crate::reads::ANSWERS;
use crate::session::{Ended, Exchange, Session};
use stickler_judge::{Check, Ledger};
use stickler_transcript::Silence;

/// Requests below this size are small, in bytes.
const SMALL: usize = 16 << 10;
/// The largest sane answer to them, in bytes.
const SANE: usize = 256 << 10;

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        let flood = exchange.ended == Ended::Silent(Silence::Flood);
        if exchange.sent.len() >= SMALL || exchange.message.is_none() && !flood {
            continue;
        }
        // It may be the answer to another request.
        if !flood && out_of_step(session, exchange) {
            continue;
        }
        let broken = broken(session, exchange);
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}

fn broken(session: &Session, exchange: &Exchange) -> Option<String> {
    let size = answered(session, exchange);
    (size > SANE).then(|| {
        format!(
            "{} KiB in answer to a request of {} bytes",
            size >> 10,
            exchange.sent.len()
        )
    })
}

/// Bytes printed before the end of input; PM214 judges what follows it.
fn answered(session: &Session, exchange: &Exchange) -> usize {
    let closed = session.process(exchange).input_closed_at;
    exchange
        .pieces
        .iter()
        .filter(|(t, _)| closed.is_none_or(|closed| *t <= closed))
        .map(|(_, length)| length)
        .sum()
}
