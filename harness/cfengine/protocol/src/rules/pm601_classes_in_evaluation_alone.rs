//! # Result classes come in evaluation alone
//!
//! ## What it requires
//! Only answers to `evaluate_promise` define classes. Answers to validation and
//! termination have no `result_classes`.
//!
//! ## Why
//! Classes tell what an evaluation did. The agent drops those of other answers
//! without a word, so that a policy waits for them in vain.
//!
//! ## How it is judged
//! On every answer to a validation or termination. An empty list defines
//! nothing and may stand.
//!
//! ## Example
//! ```text
//! ← {"operation": "validate_promise", "result": "valid", "result_classes": ["ok"]}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Result classes". cf-agent 3.21.0 passes over
//! them.

use crate::phase;
use crate::logs;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::all_own(session).filter(|exchange| exchange.owed) {
        let during = match exchange.phase {
            phase::VALIDATE => "validation",
            phase::TERMINATE => "termination",
            _ => continue,
        };
        // Only an answer that could be read says that there are none.
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
                    "the result class `{}` in {during}",
                    cut(&visible(first), 60)
                ),
            )
            .expected("result classes in evaluations alone")
            .quote(b"result_classes")
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
