//! # Nothing stands on standard output before the header
//!
//! ## What it requires
//! The first bytes that a module prints are those of its header line.
//!
//! ## Why
//! The agent takes the first line for the header, whatever it is. A banner, a
//! blank line or what a library prints while it is loaded ends the module.
//!
//! ## How it is judged
//! On every session in which a header came. Of the lines up to the first empty
//! line after a header, the one that looks most like a header is taken for it.
//! A header that is sent before the agent's own is accepted.
//!
//! ## Example
//! ```text
//! ← Loading plugins...
//! ← git_promise_module 0.0.1 v1 json_based
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header" and "Creating custom
//! promise types" (all output follows the protocol). cf-agent 3.21.0 then says
//! "failed to send empty line after header".

use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session.headers() {
        let Some(header) = exchange.header() else {
            continue;
        };
        let Some(noise) = header.noise_before.first() else {
            ledger.pass(exchange.number);
            continue;
        };
        let noise = exchange.output.get(noise.clone()).unwrap_or_default();
        let message = if noise.is_empty() {
            "an empty line before the header".to_owned()
        } else {
            format!("a line before the header: `{}`", cut(&visible(noise), 80))
        };
        let finding = ledger
            .finding(exchange.number, message)
            .expected("the header first")
            .quote(noise)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
