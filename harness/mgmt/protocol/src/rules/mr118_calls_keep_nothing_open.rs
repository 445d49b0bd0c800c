//! # Calls keep nothing open
//!
//! ## What it requires
//! A process that has called `Validate` and `CheckApply` hundreds of times holds no more descriptors than
//! one that has called them a few times.
//!
//! ## Why
//! mgmt runs for months, and calls `CheckApply` at each event. At the limit of open files, all its
//! resources fail.
//!
//! ## How it is judged
//! - Judged: a process after 300 calls or more, compared with the same one after the first hundred. One
//!   descriptor more in 20 calls is too many, if their number still grows in the second half.
//! - Not judged: memory, which Go frees when it likes; what `Watch` and `Init` open (MR206, MR305); a
//!   descriptor for each program that goes on.
//!
//! ## Example
//! `CheckApply` opens a log, and keeps it in a field for the next call, which opens it again.
//!
//! ## How to fix
//! Write `defer file.Close()` after each `os.Open`. Open what lasts in `Init`, and close it in `Cleanup`.
//!
//! ## Source
//! Good practice.

use crate::session::Session;
use stickler_judge::{Check, Ledger, Relation};
use stickler_transcript::Event;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[Relation::GROWTH], check)];

/// Calls before the first count that matters.
const WARM: usize = 100;
/// Calls between the counts that are compared.
const BETWEEN: usize = 200;
/// Of so many programs that go on, the harness lists no more.
const LISTED: usize = 16;
/// One more descriptor in this many calls is too many.
const CALLS_A_DESCRIPTOR: usize = 20;

fn check(session: &Session, ledger: &mut Ledger) {
    let counts = session
        .transcript
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Sample {
                requests,
                descriptors,
                ..
            } => Some((*requests, *descriptors)),
            _ => None,
        });
    let counts: Vec<_> = counts.filter(|(calls, _)| *calls >= WARM).collect();
    let (Some(&(first, few)), Some(&(last, many))) = (counts.first(), counts.last()) else {
        return;
    };
    let between = last.saturating_sub(first);
    let Some(call) = session.exchanges.get(last.saturating_sub(1)) else {
        return;
    };
    if between < BETWEEN {
        return;
    }
    let half = counts
        .iter()
        .find(|(calls, _)| *calls >= first + between / 2);
    let goes_on = half.is_none_or(|(calls, open)| *calls == last || many > *open);
    // What waits for a program that goes on may hold a descriptor of it.
    let programs = match session.left.processes.len() {
        LISTED.. => usize::MAX,
        programs => programs,
    };
    let opened = many.saturating_sub(few).saturating_sub(programs);
    let broken = (opened * CALLS_A_DESCRIPTOR >= between && goes_on).then(|| {
        format!("{few} descriptors are open after {first} calls, and {many} after {last}")
    });
    ledger.check(call.number, call.provenance, broken);
}
