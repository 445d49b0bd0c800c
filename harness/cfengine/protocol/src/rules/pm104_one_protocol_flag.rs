//! # The header has exactly one of the flags `json_based` and `line_based`
//!
//! ## What it requires
//! Among the feature flags stands `json_based` or `line_based`, and not both.
//!
//! ## Why
//! The flag decides how all further messages are written. Without it agent and
//! module may speak different protocols.
//!
//! ## How it is judged
//! On every header line with four fields. Neither flag is a `must`; both of
//! them, which the text leaves open, count as `should`. One flag twice is PM105.
//!
//! ## Example
//! ```text
//! ← git_promise_module 0.0.1 v1 action_policy
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header" (at least one of the two
//! is required). cf-agent 3.21.0 takes the line based protocol where there is
//! none, and the last one where there are both, with a warning each.

use crate::offer::has_empty_field;
use crate::session::Session;
use crate::wire::header::{DefectKind, Header, Protocol, ProtocolVersion};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger, Level};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session.headers() {
        let Some(header) = exchange.header().filter(|header| header.word_count() >= 4) else {
            continue;
        };
        // A NUL cuts the line for agents (PM108), an empty field moves the flags (PM102).
        if header.has(DefectKind::Nul) || has_empty_field(&header) {
            continue;
        }
        // A field too few: the flag stands where the version should (PM103).
        if let ProtocolVersion::Malformed(word) = header.protocol_version()
            && Protocol::from_flag(word).is_some()
        {
            continue;
        }
        let Some((message, level)) = broken(&header) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, message)
            .expected("json_based or line_based")
            .quote(header.line)
            .at_most(level)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn broken(header: &Header<'_>) -> Option<(String, Level)> {
    let (json, line) = (
        header.asks_for(Protocol::Json),
        header.asks_for(Protocol::Line),
    );
    match (json, line) {
        (true, true) => Some((
            "the header has both `json_based` and `line_based`".into(),
            Level::Should,
        )),
        (false, false) => {
            let flags: Vec<String> = header.flags().iter().map(|flag| visible(flag)).collect();
            let message = format!(
                "neither `json_based` nor `line_based` among the flags `{}`",
                cut(&flags.join(" "), 80)
            );
            Some((message, Level::Must))
        }
        _ => None,
    }
}
