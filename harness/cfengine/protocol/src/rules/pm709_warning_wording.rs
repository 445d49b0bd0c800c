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
//! - Not judged: the rest of the warning; warnings about made-up promises, or after a change from
//!   outside, unless the same promise is then `repaired` as it is: they may say why nothing can be done.
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
use crate::relation;
use crate::session::{Exchange, Session};
use crate::warn::evaluations;
use crate::words::contains;
use stickler_judge::{Check, Ledger, Relation};
use stickler_transcript::{Event, Variation};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[Relation::DRIFT, relation::POLICIES, Relation::WARN],
    check,
)];

fn check(session: &Session, ledger: &mut Ledger) {
    let unmet = evaluations(session).filter(|exchange| exchange.is("not_kept"));
    for exchange in unmet.filter(|exchange| could_change(session, exchange)) {
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

/// Is it about a change that the module would make?
fn could_change(session: &Session, warned: &Exchange) -> bool {
    let items = &session.case().items;
    let item = items
        .iter()
        .find(|item| Some(&item.label) == warned.item.as_ref());
    let is_made_up = item
        .is_some_and(|item| matches!(item.variation, Some(Variation::Fuzzed | Variation::Bare)));
    let mut events = session.transcript.events.iter();
    let is_disturbed =
        events.any(|event| matches!(event, Event::Drifted { t, .. } if *t < warned.sent_at));
    let mut later = session
        .evaluations()
        .skip_while(|one| one.number <= warned.number);
    let after = later.find(|one| one.item == warned.item && !one.warns());
    // What the outside takes away in between may have been in the way.
    let is_repaired =
        |after: &Exchange| after.is("repaired") && !session.changed_between(warned, after);
    !is_made_up && !is_disturbed || after.is_some_and(is_repaired)
}

fn says_so(message: &[u8]) -> bool {
    let message = message.to_ascii_lowercase();
    contains(&message, b"warnings promised") || contains(&message, b"warning promised")
}
