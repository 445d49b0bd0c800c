//! # The header line has at least four fields, parted by single spaces
//!
//! ## What it requires
//! The module's header line consists of name, version, protocol version and one
//! or more feature flags, with a single space between them.
//!
//! ## Why
//! Agents part the line at each space. A missing field shifts all that follow
//! it, so that a flag is read as a version and the protocol is guessed.
//!
//! ## How it is judged
//! On every header line. A space at the line's end, which agents pass over,
//! counts as `should`. Tabs are PM108.
//!
//! ## Example
//! ```text
//! ← git_promise_module 0.0.1 json_based
//! ```
//! The protocol version is missing.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header". cf-agent 3.21.0 accepts
//! fewer fields with a warning and then speaks the line based protocol; it reads
//! two spaces in a row as an empty field.

use crate::offer::{has_empty_field, looks_like_header};
use crate::session::Session;
use crate::wire::header::{DefectKind, Ending, Header};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger, Level};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session.headers() {
        let Some(header) = exchange.header() else {
            continue;
        };
        let ended = matches!(header.ending, Ending::EmptyLine | Ending::CarriageReturn);
        if !ended && !looks_like_header(&header) {
            continue;
        }
        let Some((message, level)) = broken(&header) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, message)
            .expected("name, version, protocol version, flags")
            .quote(header.line)
            .at_most(level)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn broken(header: &Header<'_>) -> Option<(String, Level)> {
    let line = cut(&visible(header.line), 80);
    if header.word_count() < 4 {
        let message = format!(
            "the header line has {} of at least 4 fields: `{line}`",
            header.word_count()
        );
        return Some((message, Level::Must));
    }
    if has_empty_field(header) {
        let message =
            format!("fields of the header line are not parted by single spaces: `{line}`");
        return Some((message, Level::Must));
    }
    header.has(DefectKind::EmptyField).then(|| {
        (
            "a space at the end of the header line".into(),
            Level::Should,
        )
    })
}
