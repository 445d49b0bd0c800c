//! # Only an evaluation changes the system
//!
//! ## What it requires
//! A validation changes nothing. The header and `terminate` change nothing but
//! the module's own temporary files and state.
//!
//! ## Why
//! Policies are validated where nothing must happen: before a promise is skipped,
//! in dry runs, in the editor. A change made there is made for promises that are
//! never evaluated.
//!
//! ## How it is judged
//! Effects are read around the header, each validation and `terminate`. Changes at
//! paths that the promise names, or in its scratch directory, are graver than
//! those elsewhere. Elsewhere, header and `terminate` are free; so is the removal
//! of what the module itself made in the session. A temporary file of its own,
//! such as a lock in `TMPDIR`, counts nowhere (PM805). Nothing is judged where a
//! process is left that may be changing files by itself (PM309).
//!
//! ## Example
//! A module makes the parent directory of the promiser while it validates, to see
//! whether it can.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (changes belong to
//! `evaluate_promise`).

use crate::phase;
use crate::effects::{Weight, weigh};
use crate::session::{Exchange, Session};
use crate::temporary::is_own_temporary;
use crate::warn::worst;
use std::collections::BTreeSet;
use stickler_judge::{Check, Ledger};
use stickler_transcript::{Change, ChangeKind};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    if !session.left.processes.is_empty() {
        return;
    }
    for exchange in &session.exchanges {
        let what = match exchange.phase {
            phase::HEADER => "the header",
            phase::VALIDATE => "validation",
            phase::TERMINATE => "`terminate`",
            _ => continue,
        };
        let Some(effects) = &exchange.effects else {
            continue;
        };
        let counted = effects
            .iter()
            .filter(|change| counts(session, exchange, change));
        match worst(counted, session.case(), exchange) {
            Some((level, words)) => {
                let finding = ledger
                    .finding(exchange.number, format!("{what} {words}"))
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
    // What a bait leaves is PM903's matter.
    let traps = &session.case().traps;
    if traps.iter().any(|trap| trap.sign == change.path) {
        return false;
    }
    if exchange.phase == phase::VALIDATE {
        return !is_own_temporary(session, change);
    }
    let own =
        change.kind == ChangeKind::Deleted && made(session, exchange).contains(&change.path[..]);
    weigh(change, session.case(), exchange) == Weight::Promised && !own
}

/// Paths that were made in the session before this exchange.
fn made<'s>(session: &'s Session, exchange: &Exchange) -> BTreeSet<&'s [u8]> {
    session
        .exchanges
        .iter()
        .filter(|earlier| earlier.number < exchange.number)
        .flat_map(|earlier| earlier.effects.iter().flatten())
        .filter(|change| change.kind == ChangeKind::Created)
        .map(|change| &change.path[..])
        .collect()
}
