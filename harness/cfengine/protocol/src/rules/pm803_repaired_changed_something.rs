//! # `repaired` changed something
//!
//! ## What it requires
//! An evaluation that answers `repaired` has changed something that can be seen.
//!
//! ## Why
//! `repaired` fires handlers: services are restarted, people are told. Without a
//! change that is a false alarm, and usually a sign that the change failed and
//! nobody looked.
//!
//! ## How it is judged
//! Effects on files are read around each evaluation. Judged are promises whose
//! promiser lies in the scratch directory (and is not run as a command), and
//! promises that had such effects in another session: there a change would show.
//! Where the configuration has stand-ins for commands (`[fake]`), they work for the
//! first calls and then fail: what such a command changed has to be missed.
//! What a module sets up for itself elsewhere, and says so with a message of level
//! notice, is not the change.
//!
//! ## Example
//! A module runs a command, does not look at its exit status, and answers
//! `repaired`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (repaired: not satisfied before, but
//! fixed now).

use stickler_judge::{Relation, Variation};
use crate::effects::{Weight, comes_after_failure, is_harness, weigh, within};
use crate::logs::has;
use crate::partner::at;
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Group, Ledger};
use stickler_transcript::Event;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(in_scratch),
    Check::Group(&[Relation::Pieces, Relation::Keys, Relation::Level, Relation::Order, Relation::Between, Relation::Alone, Relation::Restart, Relation::Types, Relation::Text, Relation::Warn, Relation::Environment, Relation::Kill, Relation::Drift, Relation::Commands],
        in_others,
    ),
];

fn in_scratch(session: &Session, ledger: &mut Ledger) {
    for exchange in repaired(session) {
        if !lies_in_scratch(exchange, session) {
            continue;
        }
        match changed(session, exchange) {
            Some(true) => ledger.pass(exchange.number),
            Some(false) => {
                let finding = ledger
                    .finding(exchange.number, "`repaired`, but nothing changed")
                    .expected("a change, or kept")
                    .quote(b"repaired")
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
            None => {}
        }
    }
}

/// The same promise changed something in another session of the group.
fn in_others(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (_, index, session) in &group.members {
        for exchange in repaired(session) {
            if lies_in_scratch(exchange, session)
                || changed(session, exchange) != Some(false)
            {
                continue;
            }
            let other = group.members.iter().find_map(|(_, other, partner)| {
                let changed = repaired(partner).find(|candidate| {
                    candidate.promise.is_some()
                        && is_same(session, exchange, partner, candidate)
                        && changed(partner, candidate) == Some(true)
                })?;
                Some(at(*other, changed))
            });
            let Some(other) = other else {
                continue;
            };
            // A session may be in many groups.
            let place = at(*index, exchange);
            if ledger.findings.iter().any(|finding| finding.place == place) {
                continue;
            }
            let finding = ledger
                .finding_at(
                    place,
                    "`repaired`, but nothing changed, as it did in another session",
                )
                .expected("a change, or kept")
                .quote(b"repaired")
                .graded(exchange.provenance)
                .also(other);
            ledger.report(finding);
        }
    }
}

/// The same promise, maybe with commands that fail?
fn is_same(session: &Session, exchange: &Exchange, partner: &Session, other: &Exchange) -> bool {
    if exchange.promise == other.promise {
        return true;
    }
    let (Some(one), Some(other)) = (session.promise(exchange), partner.promise(other)) else {
        return false;
    };
    one.variation == Some(Variation::Commands) && other.original && one.example == other.example
}

/// Evaluations that say `repaired` where they may (under warn: PM704). What is made up for after
/// a failure may leave no trace, such as a service that is told.
fn repaired(session: &Session) -> impl Iterator<Item = &Exchange> {
    session.evaluations().filter(|exchange| {
        let warns = matches!(exchange.policy(), Some(b"warn" | b"nop"));
        exchange.is("repaired") && !warns && !comes_after_failure(exchange)
    })
}

fn lies_in_scratch(exchange: &Exchange, session: &Session) -> bool {
    let case = session.case();
    let is_run = session.facts.executes.iter().any(|name| name == "promiser");
    !is_run
        && exchange
            .request
            .as_ref()
            .and_then(|request| request.promiser.as_deref())
            .is_some_and(|promiser| case.dirs.iter().any(|dir| within(promiser, dir)))
}

/// Did the evaluation change something? `None` where that was not looked at, or
/// where all that changed never counts.
fn changed(session: &Session, exchange: &Exchange) -> Option<bool> {
    let effects = exchange.effects.as_ref()?;
    let announced = has(exchange, &["notice"]);
    let counted = effects
        .iter()
        .any(|change| !announced || weigh(change, session.case(), exchange) == Weight::Promised);
    if counted {
        return Some(true);
    }
    (!effects.is_empty() || nothing_at_all(session, exchange)).then_some(false)
}

/// Was there no change after the exchange, not even one that never counts?
fn nothing_at_all(session: &Session, exchange: &Exchange) -> bool {
    session
        .transcript
        .events
        .iter()
        .skip_while(
            |event| !matches!(event, Event::Request(input) if input.exchange == exchange.number),
        )
        .find_map(|event| match event {
            Event::Effects {
                changes, truncated, ..
            } => Some(changes.iter().all(is_harness) && !truncated),
            _ => None,
        })
        .unwrap_or(false)
}
