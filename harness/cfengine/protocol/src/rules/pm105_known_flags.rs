//! # Every feature flag is known to agents and is listed once
//!
//! ## What it requires
//! Every flag is `json_based`, `line_based` or `action_policy`, and no flag is listed twice.
//!
//! ## Why
//! A module cannot ask for features that the protocol version does not have. A misspelled flag
//! goes unnoticed: the feature stays off.
//!
//! ## How it is judged
//! - Judged: every header line with at least four fields that names a protocol.
//! - Not judged: headers whose fields are shifted or cut off (PM102, PM103, PM108).
//!
//! ## Example
//! ```text
//! ← git_promise_module 0.0.1 v1 json_based action-policy
//! ```
//!
//! ## How to fix
//! List the protocol flag once. Add `action_policy` only if the module obeys this attribute
//! (PM701). Spell both with an underscore, and remove all other flags.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header" and "Features". cf-agent ignores flags
//! that it does not know.

use crate::offer::has_empty_field;
use crate::reads::STARTS_AND_ENDS;
use crate::session::Session;
use crate::wire::header::{DefectKind, Header, ProtocolVersion};
use crate::words::{cut, visible};
use stickler_judge::{Check, Defect, Ledger, Variant};

const KNOWN: [&[u8]; 3] = [b"json_based", b"line_based", b"action_policy"];

pub(super) const CHECKS: super::Checks = &[Check::Session(STARTS_AND_ENDS, check)];

/// A flag that agents do not know.
const UNKNOWN: Variant = Variant::new("unknown");
/// A flag that is listed twice.
const DOUBLED: Variant = Variant::new("doubled");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session.headers() {
        let Some(header) = exchange.header() else {
            continue;
        };
        // An extra field shifts the version to the flags (PM103).
        let moved = matches!(header.protocol_version(), ProtocolVersion::Malformed(_));
        let unreadable = header.has(DefectKind::Nul) || has_empty_field(&header) || moved;
        if header.word_count() < 4 || header.protocol().is_none() || unreadable {
            continue;
        }
        let Some((flag, defect)) = broken(&header) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, defect)
            .expected("known flags, each once")
            .quote(flag)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn broken<'h>(header: &Header<'h>) -> Option<(&'h [u8], Defect)> {
    let name = |flag: &[u8]| cut(&visible(flag), 40);
    if let Some(flag) = header.flags().iter().find(|flag| !KNOWN.contains(flag)) {
        return Some((
            flag,
            UNKNOWN.says(format!("agents do not know the flag `{}`", name(flag))),
        ));
    }
    let flag = header.doubled_flags().next()?;
    Some((
        flag,
        DOUBLED.says(format!("the flag `{}` is listed twice", name(flag))),
    ))
}
