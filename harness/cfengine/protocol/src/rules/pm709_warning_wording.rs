//! # The warning says what should be done
//!
//! ## What it requires
//! A warning under `action_policy` warn says what should be done to what, "but
//! only warnings promised" (or "warning promised").
//!
//! ## Why
//! It is the wording of the built-in promise types. People search their logs for
//! it to find all that a dry run would have changed.
//!
//! ## How it is judged
//! On evaluations with `warn` that answer `not_kept` with warnings: one of them has
//! to have the words "warnings promised" or "warning promised", in any case.
//! The wording is a custom, not a rule, so this is advice.
//!
//! ## Example
//! ```text
//! ← log_warning=File '{dir}/greeting' differs
//! ```
//! rather than
//! ```text
//! ← log_warning=Should update file '{dir}/greeting', but only warnings promised
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy" (the common pattern).

use crate::logs::meant;
use crate::session::Session;
use crate::warn::evaluations;
use crate::words::contains;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in evaluations(session).filter(|exchange| exchange.is("not_kept")) {
        let warnings: Vec<&[u8]> = exchange
            .logs()
            .filter(|(level, _)| meant(level) == Some("warning"))
            .map(|(_, message)| message)
            .collect();
        let Some(first) = warnings.first() else {
            continue;
        };
        if warnings.iter().any(|message| says_so(message)) {
            ledger.pass(exchange.number);
            continue;
        }
        let finding = ledger
            .finding(
                exchange.number,
                "the warning does not say \"but only warnings promised\"",
            )
            .expected("Should …, but only warnings promised")
            .quote(first)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn says_so(message: &[u8]) -> bool {
    let message = message.to_ascii_lowercase();
    contains(&message, b"warnings promised") || contains(&message, b"warning promised")
}
