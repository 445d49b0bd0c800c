//! # An evaluation that answers `repaired` changes something
//!
//! ## What it requires
//! An evaluation that answers `repaired` makes a change that the suite can see.
//!
//! ## Why
//! `repaired` runs handlers: services restart and people get messages. Without a change this is a
//! false alarm, and usually a sign of an unnoticed failure.
//!
//! ## How it is judged
//! - Judged: promises whose promiser lies in `{dir}`, and promises that changed something in
//!   another session. If the configuration has stand-ins for commands (`[fake]`), the suite also
//!   lets them fail after some calls.
//! - Not judged: evaluations under warn or nop, or right after a failure that the suite caused;
//!   sessions in which stand-ins cannot write, or one may have been killed. A promiser that
//!   `executes` lists is judged only by other sessions.
//! - Not counted as a change: setup elsewhere that a notice message announces.
//! - Lowered to should: no call, command or write failed in this evaluation.
//!
//! ## Example
//! A module runs a command, ignores its exit status and answers `repaired`.
//!
//! ## How to fix
//! Check each command's exit status, and answer `not_kept` if it failed. Answer `repaired` only
//! after a change: compare the states, and answer `kept` if they are equal.
//! - Python: `subprocess.run(command, check=True, …)` and `except subprocess.CalledProcessError`
//! - Shell: `if git pull -q </dev/null >/dev/null 2>&1; then …; else result=not_kept; fi`
//! - Git: `git rev-parse HEAD` before and after shows whether something changed.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (repaired: not satisfied before, but fixed now).

use crate::aftermath::{has_stand_ins, may_hit_stand_in};
use crate::effects::{Weight, comes_after_failure, weigh};
use crate::failure;
use crate::logs::has;
use crate::partner::at;
use crate::relation;
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Group, Ledger, Level};
use stickler_judge::{Relation, Variation};
use stickler_reading::{is_harness, within};
use stickler_transcript::Purpose;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(
        &[
            Relation::DISTURBED,
            Relation::DRIFT,
            Relation::UNDONE,
            Relation::FIELDS,
        ],
        in_scratch,
    ),
    Check::Group(
        &[
            relation::PIECES,
            relation::KEYS,
            relation::LEVEL,
            Relation::ORDER,
            Relation::BETWEEN,
            Relation::IDLE,
            Relation::ALONE,
            Relation::RESTART,
            Relation::TYPES,
            Relation::TEXT,
            Relation::WARN,
            Relation::ENVIRONMENT,
            Relation::KILL,
            Relation::DRIFT,
            Relation::UNDONE,
            Relation::COMMANDS,
        ],
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
                    .at_most(level(session, exchange))
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
            None => {}
        }
    }
}

/// Compares with another session of the group, in which the same promise changed something.
fn in_others(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (_, index, session) in &group.members {
        for exchange in repaired(session) {
            if lies_in_scratch(exchange, session) || changed(session, exchange) != Some(false) {
                continue;
            }
            let other = group.members.iter().find_map(|(_, other, partner)| {
                let changed = repaired(partner).find(|candidate| {
                    candidate.item.is_some()
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
                    "`repaired`, but nothing changed; in another session the promise changes something",
                )
                .expected("a change, or kept")
                .quote(b"repaired")
                .at_most(level(session, exchange))
                .graded(exchange.provenance)
                .also(other);
            ledger.report(finding);
        }
    }
}

/// Is it the same promise, or the same one with commands that fail?
fn is_same(session: &Session, exchange: &Exchange, partner: &Session, other: &Exchange) -> bool {
    if exchange.item == other.item {
        return true;
    }
    let (Some(one), Some(other)) = (session.item(exchange), partner.item(other)) else {
        return false;
    };
    one.variation == Some(Variation::Commands) && other.original && one.example == other.example
}

/// Evaluations that answer `repaired`. PM704 judges those under `warn`. Work that is done after a
/// failure ends may leave no trace, such as the reload of a service.
fn repaired(session: &Session) -> impl Iterator<Item = &Exchange> {
    let foreign = may_hit_stand_in(session) || session.refuses_writes() && has_stand_ins(session);
    session.evaluations().filter(move |exchange| {
        let warns = matches!(exchange.policy(), Some(b"warn" | b"nop"));
        // PM807 judges what is right, and whose question fails.
        let is_asked = exchange.key.turn_of(Purpose::ASKED).is_some();
        exchange.is("repaired") && !warns && !foreign && !is_asked && !comes_after_failure(exchange)
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

/// Did the evaluation change something? `None` if effects were not read, or if only changes
/// that never count were made.
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
    failure::observed(session, exchange).is_some_and(|changes| changes.iter().all(is_harness))
}

/// A module that met a failure can know that its `repaired` is false. Otherwise the change may be
/// one that nobody sees.
fn level(session: &Session, exchange: &Exchange) -> Level {
    if failure::is_met(session, exchange) {
        Level::Must
    } else {
        Level::Should
    }
}
