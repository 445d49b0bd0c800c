//! # The header's lines end in LF alone, and hold no byte order mark, NUL or tab
//!
//! ## What it requires
//! The header line and the empty line after it end with a line feed, without a
//! carriage return. No byte order mark stands before the line, no NUL or tab in
//! it.
//!
//! ## Why
//! The agent compares bytes: `json_based` and a carriage return is a flag that
//! it does not know, and a line of a carriage return alone is not empty. A NUL
//! ends the line for it, and a tab parts nothing.
//!
//! ## How it is judged
//! On every header line.
//!
//! ## Example
//! A script with Windows line ends prints `git_promise_module 0.0.1 v1
//! line_based`, carriage return, line feed, twice.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header". cf-agent 3.21.0 then
//! speaks the line based protocol, or gives the module up for want of an empty
//! line.

use crate::session::Session;
use crate::wire::header::{DefectKind, Header};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session.headers() {
        let Some(header) = exchange.header() else {
            continue;
        };
        let Some(message) = broken(&header) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, message)
            .expected("plain text, ended by a line feed")
            .quote(header.line)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn broken(header: &Header<'_>) -> Option<&'static str> {
    header.defects.iter().find_map(|defect| match defect.kind {
        DefectKind::CarriageReturn => Some("a carriage return in the header"),
        DefectKind::ByteOrderMark => Some("a byte order mark before the header"),
        DefectKind::Nul => Some("a NUL in the header line"),
        DefectKind::Tab => Some("a tab in the header line"),
        // The fields' matter: PM102.
        DefectKind::EmptyField => None,
    })
}
