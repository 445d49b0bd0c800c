//! # The header line has at least four fields, separated by single spaces
//!
//! ## What it requires
//! The module's header line contains a name, a version, a protocol version and one or more
//! feature flags, separated by single spaces.
//!
//! ## Why
//! Agents split the line at every space. A missing field shifts all later fields, so the agent
//! reads a flag as a version.
//!
//! ## How it is judged
//! - Judged: in every header line, fewer than four fields, and extra spaces before or between
//!   fields.
//! - Not judged: tabs (PM108).
//! - Lowered to should: a space at the end of the line, which agents ignore.
//!
//! ## Example
//! In `git_promise_module 0.0.1 json_based` the protocol version is missing.
//!
//! ## How to fix
//! Print all four fields: `git_promise_module 0.0.1 v1 json_based`. If there are no further
//! flags, end the line right after the protocol.
//! - Python: `print(" ".join([name, version, "v1", *flags]) + "\n", flush=True)`
//! - Shell: `printf '%s %s v1 %s\n\n' "$name" "$version" "$flags"`, with `$flags` not empty.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header". cf-agent accepts fewer fields with a
//! warning and then uses the line protocol. It reads two spaces in a row as an empty field.

use crate::offer::{has_empty_field, looks_like_header};
use crate::reads::STARTS_AND_ENDS;
use crate::session::Session;
use crate::wire::header::{DefectKind, Ending, Header};
use crate::words::{cut, visible};
use stickler_judge::{Check, Defect, Ledger, Level, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(STARTS_AND_ENDS, check)];

/// Fewer than four fields.
const MISSING: Variant = Variant::new("missing-field");
/// Spaces before or between fields.
const SPACES: Variant = Variant::new("extra-spaces");
/// A space at the end.
const TRAILING: Variant = Variant::new("trailing-space");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session.headers() {
        let Some(header) = exchange.header() else {
            continue;
        };
        let ended = matches!(header.ending, Ending::EmptyLine | Ending::CarriageReturn);
        if !ended && !looks_like_header(&header) {
            continue;
        }
        let Some((defect, level)) = broken(&header) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, defect)
            .expected("name, version, protocol version, flags")
            .quote(header.line)
            .at_most(level)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn broken(header: &Header<'_>) -> Option<(Defect, Level)> {
    let line = cut(&visible(header.line), 80);
    if header.word_count() < 4 {
        let message = format!(
            "the header line has {} fields instead of at least 4: `{line}`",
            header.word_count()
        );
        return Some((MISSING.says(message), Level::Must));
    }
    if has_empty_field(header) {
        let message =
            format!("the fields of the header line are not separated by single spaces: `{line}`");
        return Some((SPACES.says(message), Level::Must));
    }
    header.has(DefectKind::EmptyField).then(|| {
        (
            TRAILING.says("a space at the end of the header line"),
            Level::Should,
        )
    })
}
