//! # The protocol version in the header is `v1` or lower
//!
//! ## What it requires
//! The third field of the module's header is `v` and a number, and the number
//! is not above the one that the agent offered: offered `v1`, not above 1.
//!
//! ## Why
//! Agent and module go on with the lower of both versions. A version that the
//! agent does not speak leaves them without a common protocol.
//!
//! ## How it is judged
//! On every header line with four fields that answers an agent that offered
//! `v1`. Answers to other offers are PM110.
//!
//! ## Example
//! ```text
//! → cf-agent 3.21.0 v1
//! ← git_promise_module 0.0.1 v2 json_based
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header". cf-agent 3.21.0 does not
//! look at the version and goes on with whatever stands there; the
//! specification lets an agent end such a module.

use crate::offer::{Offer, has_empty_field};
use crate::session::Session;
use crate::wire::header::{DefectKind, ProtocolVersion};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
            ProtocolVersion::Number(number) => {
                format!("offered v1, the header asks for `v{number}`")
            }
            ProtocolVersion::Malformed(word) => {
                let word = cut(&visible(word), 40);
                let hint = if header.flags().contains(&&b"v1"[..]) {
                    ": name and version hold no blanks"
                } else {
                    ""
                };
                format!("the protocol version in the header, its third word, is `{word}`{hint}")
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
