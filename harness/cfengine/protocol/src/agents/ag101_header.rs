//! # The agent's header has three fields and an empty line
//!
//! ## What it requires
//! A session with a module begins with a line of three fields, parted by single
//! spaces (the program, its version, the highest protocol version that it knows),
//! and an empty line.
//!
//! ## Why
//! A module reads the line and waits for the empty one; a missing field or line
//! leaves it waiting, or makes it guess.
//!
//! ## How it is judged
//! On the first message to each process.
//!
//! ## Example
//! ```text
//! → cf-agent v1
//! ```
//! The version is missing.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header".

use crate::phase;
use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::Phase;

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
        return Some("the first message is no header".into());
    }
    let Some(line) = sent.strip_suffix(b"\n\n") else {
        return Some("no empty line follows the header".into());
    };
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    if line.contains(&b'\n') {
        return Some("the header has more than one line".into());
    }
    if fields.len() != 3 || fields.iter().any(|field| field.is_empty()) {
        return Some(format!("the header has not three fields: `{}`", crate::words::visible(line)));
    }
    let version = fields[2].strip_prefix(b"v").unwrap_or_default();
    let number = !version.is_empty() && version.iter().all(u8::is_ascii_digit);
    (!number).then(|| "the header names no protocol version".into())
}
