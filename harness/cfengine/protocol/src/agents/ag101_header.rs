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
//! The version is missing.
//!
//! ## How to fix
//! Right after the module's start, write the line and an empty line, `cf-agent 3.28.0 v1\n\n`,
//! and flush. No field contains a space.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header".

use super::view;
use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Defect, Ledger, Variant};
use stickler_transcript::Phase;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// Something else comes first.
const NO_HEADER: Variant = Variant::new("no-header");
/// No empty line after it.
const NO_EMPTY_LINE: Variant = Variant::new("no-empty-line");
/// More than one line.
const MORE_LINES: Variant = Variant::new("more-lines");
/// More or fewer fields than three.
const FIELDS: Variant = Variant::new("other-fields");
/// No protocol version in it.
const NO_VERSION: Variant = Variant::new("no-version");

fn check(session: &Session, ledger: &mut Ledger) {
    for process in view::processes(session) {
        let Some(first) = view::exchanges(session, process).next() else {
            continue;
        };
        match broken(&first.sent, first.phase) {
            None => ledger.pass(first.number),
            Some(defect) => ledger.report(
                ledger
                    .finding(first.number, defect)
                    .expected("program, version, protocol version, an empty line"),
            ),
        }
    }
}

fn broken(sent: &[u8], phase: Phase) -> Option<Defect> {
    if phase != phase::HEADER {
        return Some(NO_HEADER.says("the first message is not a header"));
    }
    let Some(line) = sent.strip_suffix(b"\n\n") else {
        return Some(NO_EMPTY_LINE.says("no empty line follows the header"));
    };
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    if line.contains(&b'\n') {
        return Some(MORE_LINES.says("the header has more than one line"));
    }
    if fields.len() != 3 || fields.iter().any(|field| field.is_empty()) {
        return Some(FIELDS.says(format!(
            "the header does not have three fields: `{}`",
            crate::words::visible(line)
        )));
    }
    let version = fields[2].strip_prefix(b"v").unwrap_or_default();
    let number = !version.is_empty() && version.iter().all(u8::is_ascii_digit);
    (!number).then(|| NO_VERSION.says("the header has no protocol version"))
}
