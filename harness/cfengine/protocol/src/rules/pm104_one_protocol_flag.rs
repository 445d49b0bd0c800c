//! # The header has exactly one of the flags `json_based` and `line_based`
//!
//! ## What it requires
//! The feature flags contain `json_based` or `line_based`, but not both.
//!
//! ## Why
//! The flag selects the protocol for all further messages. Without it, agent and module may
//! use different protocols.
//!
//! ## How it is judged
//! - Judged: every header line with at least four fields.
//! - Not judged: a flag that is listed twice (PM105); a flag instead of the protocol version
//!   (PM103); headers with a NUL (PM108) or with extra spaces (PM102).
//! - Lowered to should: both flags are present, which the specification does not forbid.
//!
//! ## Example
//! In `git_promise_module 0.0.1 v1 action_policy` both flags are missing.
//!
//! ## How to fix
//! Add the flag of the protocol that the module speaks, and remove the other one:
//! - `json_based`, if each answer is a JSON object.
//! - `line_based`, if each answer consists of lines `key=value`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header" (at least one of the two is required).
//! cf-agent warns in both cases. It uses the line protocol if there is no flag, and the last
//! flag if there are both.

use crate::offer::has_empty_field;
use crate::reads::STARTS_AND_ENDS;
use crate::session::Session;
use crate::wire::header::{DefectKind, Header, Protocol, ProtocolVersion};
use crate::words::{cut, visible};
use stickler_judge::{Check, Defect, Ledger, Level, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(STARTS_AND_ENDS, check)];

/// Both flags.
const BOTH: Variant = Variant::new("both");
/// None of the two.
const NEITHER: Variant = Variant::new("neither");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session.headers() {
        let Some(header) = exchange.header().filter(|header| header.word_count() >= 4) else {
            continue;
        };
        // For agents a NUL ends the line (PM108), and an empty field shifts the flags (PM102).
        if header.has(DefectKind::Nul) || has_empty_field(&header) {
            continue;
        }
        // One field is missing, so the flag is in the version's position (PM103).
        if let ProtocolVersion::Malformed(word) = header.protocol_version()
            && Protocol::from_flag(word).is_some()
        {
            continue;
        }
        let Some((defect, level)) = broken(&header) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, defect)
            .expected("json_based or line_based")
            .quote(header.line)
            .at_most(level)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn broken(header: &Header<'_>) -> Option<(Defect, Level)> {
    let (json, line) = (
        header.asks_for(Protocol::Json),
        header.asks_for(Protocol::Line),
    );
    match (json, line) {
        (true, true) => Some((
            BOTH.says("the header has both `json_based` and `line_based`"),
            Level::Should,
        )),
        (false, false) => {
            let flags: Vec<String> = header.flags().iter().map(|flag| visible(flag)).collect();
            let message = format!(
                "neither `json_based` nor `line_based` is among the flags `{}`",
                cut(&flags.join(" "), 80)
            );
            Some((NEITHER.says(message), Level::Must))
        }
        _ => None,
    }
}
