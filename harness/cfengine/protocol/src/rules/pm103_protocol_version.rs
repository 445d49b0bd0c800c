//! # The protocol version in the header is `v1` or lower
//!
//! ## What it requires
//! If the agent offers `v1`, the third field of the module's header is `v` and a number that
//! is not above 1.
//!
//! ## Why
//! Agent and module use the lower of their two versions. If the module asks for a version that
//! the agent does not speak, they have no common protocol.
//!
//! ## How it is judged
//! - Judged: every header line with at least four fields that answers an offer of `v1`.
//! - Not judged: answers to other offers (PM110); headers with a NUL (PM108) or extra spaces
//!   (PM102).
//!
//! ## Example
//! ```text
//! → cf-agent 3.28.0 v1
//! ← git_promise_module 0.0.1 v2 json_based
//! ```
//!
//! ## How to fix
//! Write `v1` into the header as a constant. It is the version of the protocol, not that of
//! the module. If name or version contains a space, replace it: it shifts the fields.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header" (an agent may end such a module). cf-agent
//! ignores this field.

use crate::offer::{Offer, has_empty_field};
use crate::reads::STARTS_AND_ENDS;
use crate::session::Session;
use crate::wire::header::{DefectKind, ProtocolVersion};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(STARTS_AND_ENDS, check)];

/// A version that the agent does not speak.
const TOO_HIGH: Variant = Variant::new("too-high");
/// No version in the third field.
const MALFORMED: Variant = Variant::new("malformed");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session.headers() {
        let offered = Offer::of(exchange).map_or(Some(1), |offer| offer.number());
        let Some(header) = exchange.header().filter(|header| header.word_count() >= 4) else {
            continue;
        };
        if offered != Some(1) || header.has(DefectKind::Nul) || has_empty_field(&header) {
            continue;
        }
        let broken = match header.protocol_version() {
            ProtocolVersion::Missing => continue,
            ProtocolVersion::Number(0 | 1) => {
                ledger.pass(exchange.number);
                continue;
            }
            ProtocolVersion::Number(number) => TOO_HIGH.says(format!(
                "the agent offered `v1`, but the header asks for `v{number}`"
            )),
            ProtocolVersion::Malformed(word) => {
                let word = cut(&visible(word), 40);
                let hint = if header.flags().contains(&&b"v1"[..]) {
                    ": name and version must not contain spaces"
                } else {
                    ""
                };
                MALFORMED.says(format!(
                    "the protocol version, the third field of the header, is `{word}`{hint}"
                ))
            }
        };
        let finding = ledger
            .finding(exchange.number, broken)
            .expected("v1")
            .quote(header.line)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
