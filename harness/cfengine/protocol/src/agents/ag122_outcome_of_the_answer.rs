//! # A promise has the outcome that its answer states
//!
//! ## What it requires
//! The outcome of a promise follows from the last answer about it: `kept`, `repaired`, or not kept
//! for `not_kept`, `invalid` and `error`.
//!
//! ## Why
//! Classes, reports and other promises depend on the outcome. A failure that counts as kept is
//! never seen.
//!
//! ## How it is judged
//! - Judged: each promise whose last answer has a usable result, if the agent keeps the record
//!   itself or its classes tell the outcome.
//! - Not judged: in a dry run and under action policy warn; after an answer that an agent could
//!   take for broken (AG114).
//!
//! ## Example
//! ```text
//! → {"operation": "evaluate_promise", …}
//! ← {"operation": "evaluate_promise", …, "result": "not_kept"}
//! ```
//! The agent sets the classes of `promise_kept`.
//!
//! ## How to fix
//! Map `kept`, `repaired` and all others to the three outcomes in one place.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results".

use super::view::{self, due};
use crate::phase;
use crate::session::Session;
use crate::wire::Protocol;
use crate::wire::response::Response;
use stickler_judge::{Check, Ledger};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let outcomes = view::outcomes(session);
    for outcome in outcomes.filter(|one| !one.unresolved && !one.warns) {
        let Some(last) = view::about(session, outcome).last() else {
            continue;
        };
        let all: Vec<_> = view::exchanges(session, last.process).collect();
        let (Some(end), false) = (last.message, view::is_dry(session)) else {
            continue;
        };
        if last.shifted || !view::is_clean(last) || !view::was_clean(&all, last.number) {
            continue;
        }
        let protocol = session.protocol(last).unwrap_or(Protocol::Line);
        let answer = Response::analyse(&last.output[..end], protocol);
        let operation: &[u8] = match last.phase {
            phase::VALIDATE => b"validate_promise",
            _ => b"evaluate_promise",
        };
        // An agent may take the answer to something else for broken.
        let is_own = answer.operation.text() == Some(operation)
            && answer
                .promiser
                .text()
                .is_none_or(|own| own == &outcome.identity[..])
            && answer.duplicates.is_empty();
        let Some(due) = due(last.phase, answer.result.text()).filter(|_| is_own) else {
            continue;
        };
        let broken = (due != outcome.outcome).then(|| {
            format!(
                "the answer says {}, but the promise is {}",
                words(due),
                words(outcome.outcome)
            )
        });
        ledger.check(last.number, last.provenance, broken);
    }
}

fn words(fate: Fate) -> &'static str {
    match fate {
        Fate::Unchanged => "kept",
        Fate::Changed => "repaired",
        _ => "not kept",
    }
}
