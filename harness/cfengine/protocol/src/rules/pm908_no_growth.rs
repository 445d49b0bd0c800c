//! # Descriptors and memory do not grow with requests
//!
//! ## What it requires
//! A process that served hundreds of requests holds no more open descriptors than one that
//! served a few, and not noticeably more memory.
//!
//! ## Why
//! One process serves all promises of a run, and a policy may have thousands. A file that is
//! opened for each request and never closed ends at a limit.
//!
//! ## How it is judged
//! - Judged: one process with at least 300 requests. The suite compares the last reading with
//!   the first one after 100 requests.
//! - Limit for descriptors: one more in 20 requests, if they still grow in the second half.
//! - Limit for memory: 2 KiB more a request, in total and in the second half, if the growth is
//!   also an eighth of the first reading or more.
//! - Not judged: memory growth below 32 MiB, unless the interpreter frees memory at once
//!   (Python, Perl, PHP, Tcl, shells).
//!
//! ## Example
//! A module opens its log for each request and never closes it.
//!
//! ## How to fix
//! Close what each request opens, and keep nothing of a request.
//! - Python: `with open(path) as file:`, and `@lru_cache(maxsize=100)` for caches.
//! - Go: `defer file.Close()` in a function for each request. Ruby: `File.open(path) { … }`.
//! - C: `fclose` and `free`. Shell: `exec 3>&-`. Node: remove listeners.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence". The limits are this rule's
//! own.

use crate::session::Session;
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_transcript::Event;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[Relation::GROWTH], check)];

/// More and more files are open.
const DESCRIPTORS: Variant = Variant::new("descriptors-grow");
/// More and more memory is used.
const MEMORY: Variant = Variant::new("memory-grows");

/// Requests that a process gets before the first reading that counts.
const WARM: usize = 100;
/// Requests between the readings that are compared.
const BETWEEN: usize = 200;
/// One more descriptor in this many requests is too many.
const REQUESTS_A_DESCRIPTOR: usize = 20;
/// This many more KiB a request are too many.
const KIB_A_REQUEST: u64 = 2;
/// Growth below this part of the first reading is noise.
const PART: u64 = 8;
/// What a heap may take before its first garbage collection, in KiB.
const HEAP_KIB: u64 = 32 << 10;
/// Interpreters that free unused memory at once, and the endings of their files.
const PROMPT: [&str; 14] = [
    "python", "perl", "php", "tclsh", "bash", "dash", "busybox", "zsh", "ksh", ".py", ".pl",
    ".tcl", ".sh", ".bash",
];

#[derive(Clone, Copy)]
struct Reading {
    requests: usize,
    kib: u64,
    descriptors: usize,
}

fn check(session: &Session, ledger: &mut Ledger) {
    let mut processes: BTreeMap<usize, Vec<Reading>> = BTreeMap::new();
    for event in &session.transcript.events {
        if let Event::Sample {
            process,
            requests,
            rss_kib,
            descriptors,
            ..
        } = *event
        {
            processes.entry(process).or_default().push(Reading {
                requests,
                kib: rss_kib,
                descriptors,
            });
        }
    }
    let heap = if frees_at_once(session) { 0 } else { HEAP_KIB };
    for readings in processes.values() {
        judge(readings, heap, ledger);
    }
}

/// Does the subject's command name an interpreter that frees memory at once?
fn frees_at_once(session: &Session) -> bool {
    let command = session
        .case()
        .plan
        .as_ref()
        .and_then(|plan| plan.commands.first());
    let mut words = command
        .iter()
        .flat_map(|command| command.argv.iter().take(3));
    words.any(|word| {
        let word = word.lossy();
        let name = word.rsplit('/').next().unwrap_or_default();
        name == "sh"
            || PROMPT.iter().any(|known| match known.starts_with('.') {
                true => name.ends_with(known),
                false => name.starts_with(known),
            })
    })
}

fn judge(readings: &[Reading], heap: u64, ledger: &mut Ledger) {
    let warm: Vec<Reading> = readings
        .iter()
        .copied()
        .filter(|reading| reading.requests >= WARM)
        .collect();
    let (Some(first), Some(last)) = (warm.first(), warm.last()) else {
        return;
    };
    let requests = last.requests.saturating_sub(first.requests);
    if requests < BETWEEN {
        return;
    }
    let half = first.requests + requests / 2;
    let middle = warm
        .iter()
        .find(|reading| reading.requests >= half && reading.requests < last.requests)
        .unwrap_or(first);
    let mut broken = Vec::new();
    let opened = last.descriptors.saturating_sub(first.descriptors);
    let goes_on = last.descriptors > middle.descriptors || middle.requests == first.requests;
    if opened * REQUESTS_A_DESCRIPTOR >= requests && goes_on {
        broken.push(DESCRIPTORS.says(format!(
            "open descriptors grow: {} after {} requests, {} after {}",
            first.descriptors, first.requests, last.descriptors, last.requests
        )));
    }
    let grown = last.kib.saturating_sub(first.kib);
    let noise = heap.max(first.kib / PART);
    if steep(first, last) && steep(middle, last) && grown >= noise {
        broken.push(MEMORY.says(format!(
            "memory grows: {} KiB after {} requests, {} KiB after {}",
            first.kib, first.requests, last.kib, last.requests
        )));
    }
    let place = last.requests;
    if broken.is_empty() {
        ledger.pass(place);
    }
    for defect in broken {
        let finding = ledger
            .finding(place, defect)
            .expected("no growth with the number of requests");
        ledger.report(finding);
    }
}

/// Does memory grow too fast between two readings?
fn steep(from: &Reading, to: &Reading) -> bool {
    let requests = to.requests.saturating_sub(from.requests) as u64;
    to.kib.saturating_sub(from.kib) >= KIB_A_REQUEST.saturating_mul(requests)
}
