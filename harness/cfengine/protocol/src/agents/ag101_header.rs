//! # The agent sends a header of three fields, and an empty line
//!
//! ## What it requires
//! The agent begins a session with one line of three fields, separated by single spaces
//! (program, version, highest protocol version), and an empty line.
//!
//! ## Why
//! A module reads the line and waits for the empty one. If a field or a line is missing, the
//! module waits or guesses.
//!
//! ## How it is judged
//! - Judged: the first message to each process.
//!
//! ## Example
//! ```text
//! → cf-agent v1
//! ```
//! The version is missing. Fix: send `cf-agent 3.21.0 v1` and an empty line.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header".

use crate::phase;
use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Relation};
use stickler_transcript::Phase;

pub(super) const CHECKS: super::Checks = &[Check::Session(Relation::ALL, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for process in view::processes(session) {
        let Some(first) = view::exchanges(session, process).next() else {
            continue;
        };
        match broken(&first.sent, first.phase) {
            None => ledger.pass(first.number),
            Some(message) => ledger.report(
                ledger
                    .finding(first.number, message)
                    .expected("program, version, protocol version, an empty line"),
            ),
        }
    }
}

fn broken(sent: &[u8], phase: Phase) -> Option<String> {
    if phase != phase::HEADER {
        return Some("the first message is not a header".into());
    }
    let Some(line) = sent.strip_suffix(b"\n\n") else {
        return Some("no empty line follows the header".into());
    };
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    if line.contains(&b'\n') {
        return Some("the header has more than one line".into());
    }
    if fields.len() != 3 || fields.iter().any(|field| field.is_empty()) {
        return Some(format!("the header does not have three fields: `{}`", crate::words::visible(line)));
    }
    let version = fields[2].strip_prefix(b"v").unwrap_or_default();
    let number = !version.is_empty() && version.iter().all(u8::is_ascii_digit);
    (!number).then(|| "the header has no protocol version".into())
}
