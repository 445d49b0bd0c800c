//! # Every call returns in time
//!
//! ## What it requires
//! Every call returns in time, and no call ends the process. After hundreds of calls, the process
//! has only a few more open descriptors, and hardly uses more memory.
//!
//! ## Why
//! The agent's run waits for the call, and so does the next run.
//!
//! ## How it is judged
//! - Judged: each call, by its deadline (`deadlines` in `stickler.toml`); whether the process still
//!   runs afterwards; whether it keeps to the session's limits of output, processes and memory.
//! - Judged: descriptors and memory of a process that reads the rows 400 times, after the first
//!   100. One more descriptor in 20 calls fails. So do 2 KiB more memory per call, if they are 32 MiB
//!   or more in total.
//! - Not judged: processes that Stickler kills itself.
//!
//! ## Example
//! `get` waits for a lock that nobody releases; a library calls `exit!`; each call opens a
//! connection that nobody closes.
//!
//! ## How to fix
//! Limit each wait. Raise an exception instead of exiting.
//!
//! ## Source
//! Good practice; Puppet's own limit is `runtimeout`, an hour.

use super::ra709_limited_patience::without_target;
use crate::phase;
use crate::reads::READS;
use crate::session::{Call, Session};
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_reading::Ended;
use stickler_transcript::{Event, ExitCause, Silence};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(READS, check),
    Check::Session(&[Relation::GROWTH], growth),
];

/// The process ended.
const DIES: Variant = Variant::new("dies");
/// It prints, or starts processes, without end.
const FLOODS: Variant = Variant::new("floods");
/// More and more is open, or in memory.
const GROWS: Variant = Variant::new("grows");

/// Calls that a process gets before the first sample that counts.
const WARM: usize = 100;
/// Calls between the samples that are compared.
const BETWEEN: usize = 200;
/// One more descriptor in this many calls is too many.
const CALLS_A_DESCRIPTOR: usize = 20;
/// This many more KiB a call are too many.
const KIB_A_CALL: u64 = 2;
/// What a heap may take before its garbage is collected, in KiB.
const HEAP_KIB: u64 = 32 << 10;

fn growth(session: &Session, ledger: &mut Ledger) {
    let events = session.transcript.events.iter();
    let samples = events.filter_map(|event| match *event {
        Event::Sample {
            process: 0,
            requests,
            rss_kib,
            descriptors,
            ..
        } if requests >= WARM => Some((requests, rss_kib, descriptors)),
        _ => None,
    });
    let samples: Vec<(usize, u64, usize)> = samples.collect();
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
        return;
    };
    let calls = last.0.saturating_sub(first.0);
    if calls < BETWEEN {
        return;
    }
    let middle = samples
        .iter()
        .find(|sample| sample.0 >= first.0 + calls / 2);
    // What has come to its end is no growth.
    let goes_on = middle.is_none_or(|middle| last.2 > middle.2 || middle.0 == last.0);
    let opened = last.2.saturating_sub(first.2);
    let grown = last.1.saturating_sub(first.1);
    let broken = if opened * CALLS_A_DESCRIPTOR >= calls && goes_on {
        let (few, many) = (first.2, last.2);
        Some(format!(
            "{few} descriptors are open after {} calls, {many} after {}",
            first.0, last.0
        ))
    } else if grown >= HEAP_KIB.max(KIB_A_CALL * calls as u64) {
        let (few, many) = (first.1, last.1);
        Some(format!(
            "it takes {few} KiB after {} calls, {many} KiB after {}",
            first.0, last.0
        ))
    } else {
        None
    };
    let Some(call) = session.exchanges.last() else {
        return;
    };
    ledger.check(
        call.number,
        call.provenance,
        broken.map(|what| GROWS.says(what)),
    );
}

fn check(session: &Session, ledger: &mut Ledger) {
    // How long a transport waits for a target that does not answer is RA709's business.
    let waits = without_target(session).is_some();
    let waits = |call: &Call| waits && [phase::CONNECT, phase::VERIFY].contains(&call.phase);
    let owed = session.exchanges.iter().filter(|call| call.owed);
    for call in owed.filter(|call| !(call.is_quiet() && waits(call))) {
        if call.is_quiet() {
            let us = session.case().deadlines.of(call.phase);
            let finding = ledger
                .finding(
                    call.number,
                    format!("no answer to `{}` within {} s", call.phase, us as f64 / 1e6),
                )
                .hang(call.provenance);
            ledger.report(finding);
            continue;
        }
        let broken = match ended(call.ended) {
            Some((variant, why)) => variant.says(format!("no answer to `{}`: {why}", call.phase)),
            None if matches!(call.ended, Ended::Answered) => {
                ledger.pass(call.number);
                continue;
            }
            None => continue,
        };
        ledger.check(call.number, call.provenance, Some(broken));
    }
}

/// What a process did in place of an answer.
fn ended(how: Ended) -> Option<(Variant, String)> {
    Some(match how {
        Ended::Exited(ExitCause::Code(code)) => (DIES, format!("it exited with code {code}")),
        Ended::Exited(ExitCause::Signal(signal)) => (DIES, format!("signal {signal} ended it")),
        Ended::ClosedOutput => (DIES, "it closed its output".to_owned()),
        Ended::Silent(Silence::Flood) => (FLOODS, "it prints endlessly".to_owned()),
        Ended::Silent(Silence::Processes) => (FLOODS, "it starts processes endlessly".to_owned()),
        Ended::Silent(Silence::Memory) => (GROWS, "it uses memory without end".to_owned()),
        _ => return None,
    })
}
