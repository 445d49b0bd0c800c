//! # A warning under warn says "but only warnings promised"
//!
//! ## What it requires
//! A warning under `action_policy` warn says what should be done, "but only warnings promised"
//! (or "warning promised").
//!
//! ## Why
//! The built-in promise types use these words. People search their logs for them to find what
//! a dry run would have changed.
//!
//! ## How it is judged
//! - Judged: evaluations with `warn` that answer `not_kept` with warnings. One warning must
//!   contain "warnings promised" or "warning promised", in upper or lower case.
//! - Not judged: the rest of the warning.
//!
//! ## Example
//! ```text
//! ← log_warning=File '{dir}/greeting' differs
//! ```
//!
//! ## How to fix
//! Send all warnings of this kind with one function:
//! - Python: `log("warning", f"Should {action}, but only warnings promised")`
//! - Shell: `printf 'log_warning=Should %s, but only warnings promised\n' "$action"`
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy" (the common pattern).

use crate::logs::meant;
use crate::session::Session;
use crate::warn::evaluations;
use crate::words::contains;
use stickler_judge::{Check, Ledger, Relation};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[Relation::Drift, Relation::Policies, Relation::Warn],
    check,
)];

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
                "no warning says \"but only warnings promised\"",
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
