//! # Only an evaluation changes the system
//!
//! ## What it requires
//! A validation changes nothing; the header and `terminate` change only the module's own
//! temporary files and state.
//!
//! ## Why
//! The agent validates policies where nothing may happen, as in dry runs. A change in a
//! validation also happens for promises that are never evaluated.
//!
//! ## How it is judged
//! - Judged: the changes during each validation; during the header and `terminate` only those
//!   in `{dir}`.
//! - Not judged: new temporary files of the module, such as a lock in `TMPDIR` (PM805); at
//!   `terminate`, or if the process ends, the removal of what the module created; traces of
//!   executed values (PM903); sessions that leave a process (PM309). Caches, logs, `[effects]
//!   ignore` and tidying up after a kill or a failed call never count.
//! - Lowered to should: changes outside `{dir}`, at paths not named in the promise.
//!
//! ## Example
//! A module creates the promiser's directory during validation, to test whether it can.
//!
//! ## How to fix
//! Let the validation look only at the request (PM404). Move directories, downloads, caches
//! and locks into the evaluation, and create what the module needs for itself on first use.
//! At `terminate`, remove only what this process created.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use crate::aftermath::takes_away;
use crate::effects::{Weight, weigh};
use crate::phase;
use crate::session::{Ended, Exchange, Session};
use crate::temporary::is_own_temporary;
use crate::warn::worst;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_transcript::{Change, ChangeKind};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[
        Relation::BETWEEN,
        Relation::IDLE,
        Relation::DISTURBED,
        Relation::FIELDS,
        Relation::TEXT,
        Relation::WARN,
    ],
    check,
)];

/// Something changes while the header is sent.
const AT_START: Variant = Variant::new("changes-at-start");
/// A validation changes something.
const VALIDATING: Variant = Variant::new("changes-validating");
/// Something changes at `terminate`.
const AT_END: Variant = Variant::new("changes-at-end");

fn check(session: &Session, ledger: &mut Ledger) {
    if !session.left.processes.is_empty() {
        return;
    }
    for exchange in &session.exchanges {
        let (variant, what) = match exchange.phase {
            phase::HEADER => (AT_START, "the header"),
            phase::VALIDATE => (VALIDATING, "validation"),
            phase::TERMINATE => (AT_END, "`terminate`"),
            _ => continue,
        };
        let Some(effects) = &exchange.effects else {
            continue;
        };
        let counted = effects
            .iter()
            .filter(|change| counts(session, exchange, change));
        match worst(counted, session.case(), exchange) {
            Some((level, effect)) => {
                let message = format!("{what} {}", effect.message);
                let finding = ledger
                    .finding(exchange.number, variant.says(message))
                    .expected("no change")
                    .at_most(level)
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
            None if exchange.message.is_some() => ledger.pass(exchange.number),
            None => {}
        }
    }
}

fn counts(session: &Session, exchange: &Exchange, change: &Change) -> bool {
    // PM903 reports what an executed bait leaves.
    let traps = &session.case().traps;
    if traps.iter().any(|trap| trap.sign == change.path) {
        return false;
    }
    if takes_away(session, exchange, change) {
        return false;
    }
    // A process that ends for whatever reason tidies up.
    let ends = exchange.phase != phase::VALIDATE || exchange.ended != Ended::Answered;
    if ends && change.kind == ChangeKind::Deleted && is_made(session, exchange, &change.path) {
        return false;
    }
    match exchange.phase {
        phase::VALIDATE => !is_own_temporary(session, change),
        _ => weigh(change, session.case(), exchange) == Weight::Promised,
    }
}

/// Did the session create this path before the exchange?
fn is_made(session: &Session, exchange: &Exchange, path: &[u8]) -> bool {
    session
        .observations
        .iter()
        .filter(|seen| {
            seen.exchanges
                .iter()
                .any(|number| *number < exchange.number)
        })
        .flat_map(|seen| &seen.changes)
        .any(|change| change.kind == ChangeKind::Created && change.path[..] == *path)
}
