//! # Only answers to evaluations define result classes
//!
//! ## What it requires
//! Answers to `validate_promise` and `terminate` define no `result_classes`.
//!
//! ## Why
//! A result class reports what an evaluation did. The agent silently drops the classes of
//! other answers, so a policy waits for them in vain.
//!
//! ## How it is judged
//! - Judged: every answer to a validation or `terminate` that the suite can read. An empty
//!   list passes, since it defines no class.
//! - Not judged: answers that belong to another request.
//!
//! ## Example
//! ```text
//! ← {"operation": "validate_promise", "result": "valid", "result_classes": ["ok"]}
//! ```
//!
//! ## How to fix
//! Define the class in the answer to `evaluate_promise`, and leave `result_classes` out of
//! all others.
//! CFEngine's Python library: `return (Result.REPAIRED, ["cloned"])` in `evaluate_promise`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Result classes". cf-agent ignores the others.

use crate::logs;
use crate::phase;
use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::all_own(session).filter(|exchange| exchange.owed) {
        let request = match exchange.phase {
            phase::VALIDATE => "a validation",
            phase::TERMINATE => "`terminate`",
            _ => continue,
        };
        // An unreadable answer may have classes that the rule cannot see.
        if exchange
            .response
            .as_ref()
            .is_none_or(|response| response.keys.is_empty())
        {
            continue;
        }
        let names = exchange.classes();
        let Some(first) = names.first() else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(
                exchange.number,
                format!(
                    "result class `{}` is defined in the answer to {request}",
                    cut(&visible(first), 60)
                ),
            )
            .expected("result classes in answers to evaluations only")
            .quote(b"result_classes")
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
