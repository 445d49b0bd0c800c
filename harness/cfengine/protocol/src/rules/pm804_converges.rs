//! # After `repaired`, the same promise is `kept`
//!
//! ## What it requires
//! If an evaluation answers `repaired`, the next evaluation of the same promise answers
//! `kept`, unless something changed in between.
//!
//! ## Why
//! Agents run every few minutes. A promise that never converges hides real changes in noise
//! and runs handlers without end.
//!
//! ## How it is judged
//! - Judged: the next evaluation after `repaired` in the same session, also with a prepared
//!   file: one without its last newline, in another layout, with duplicate lines, or empty.
//! - Not judged: an evaluation for which the example's `expect` declares another outcome, such
//!   as `expect = ["repaired"]` for a promise that runs a command each time.
//! - Not judged: after a change from outside, a caused failure, or requests about other
//!   promises (PM306); under `action_policy`; failures after a kill (PM806); sessions that an
//!   agent drove, or in which a stand-in may have been killed.
//!
//! ## Example
//! A module compares the file with the wanted text plus a newline, and so rewrites it on
//! every run.
//!
//! ## How to fix
//! Compare the file with exactly what the module writes: build the content once, and use it
//! for both.
//! - Python: `wanted = message + "\n"`, then `if old == wanted: return "kept"`
//! - A line: add it only if `grep -Fxq -- "$line" "$file"` does not find it.
//! - JSON and the like: compare the parsed values.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (kept: satisfied already; repaired: fixed now).

use crate::aftermath::may_hit_stand_in;
use crate::effects::comes_after_failure;
use crate::ending::has_company;
use crate::phase;
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_reading::within;
use stickler_transcript::{Change, Purpose};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[
        Relation::DRIFT,
        Relation::UNDONE,
        Relation::FIELDS,
        Relation::IN_THE_WAY,
        Relation::UNENDED,
        Relation::LAYOUTS,
        Relation::LINES,
        Relation::NEAR,
        Relation::TEXT,
    ],
    check,
)];

/// It is `repaired` again.
const REPAIRED: Variant = Variant::new("repaired-again");
/// It is `not_kept`, or there is an error.
const FAILS: Variant = Variant::new("fails-later");

fn check(session: &Session, ledger: &mut Ledger) {
    // The suite does not see what else an agent does in between.
    if session.case().is_driven() || may_hit_stand_in(session) {
        return;
    }
    let was_killed = session.processes.iter().any(|process| process.killed);
    let evaluations: Vec<_> = session
        .exchanges
        .iter()
        .filter(|exchange| exchange.phase == phase::EVALUATE && exchange.policy().is_none())
        // PM807 judges what comes of a command that fails.
        .filter(|exchange| exchange.key.turn_of(Purpose::ASKED).is_none())
        .collect();
    for (index, first) in evaluations.iter().enumerate() {
        let Some(second) = evaluations[index + 1..]
            .iter()
            .find(|later| later.item == first.item)
        else {
            continue;
        };
        if !first.is("repaired") || declares_another(session, &evaluations, second) {
            continue;
        }
        // The evaluation finishes what failed the first time.
        if comes_after_failure(second) {
            continue;
        }
        // PM306 judges requests about other promises in between.
        if session.changed_between(first, second) || has_company(session, second) {
            continue;
        }
        if is_undone_between(session, first, second) {
            continue;
        }
        // PM402 judges any other result.
        if !["kept", "repaired", "not_kept", "error"]
            .iter()
            .any(|known| second.is(known))
        {
            continue;
        }
        // PM806 judges failures after a kill, which may have hit a tool that the module calls.
        if was_killed && (second.is("not_kept") || second.is("error")) {
            continue;
        }
        if second.is("kept") {
            ledger.pass(second.number);
        } else {
            let also = ledger.place(first.number);
            let variant = if second.is("repaired") {
                REPAIRED
            } else {
                FAILS
            };
            let finding = ledger
                .finding(
                    second.number,
                    variant.says(format!(
                        "evaluated again after `repaired`, the promise is `{}`",
                        crate::words::visible(second.result().unwrap_or_default())
                    )),
                )
                .expected("kept")
                .graded(second.provenance)
                .also(also);
            ledger.report(finding);
        }
    }
}

/// Did another promise, evaluated in between under any policy, change what the first evaluation changed?
fn is_undone_between(session: &Session, first: &Exchange, second: &Exchange) -> bool {
    let own = first.effects.as_deref().unwrap_or_default();
    let others = session.exchanges.iter().filter(|other| {
        other.item != first.item && first.number < other.number && other.number < second.number
    });
    let mut changes = others.flat_map(|other| other.effects.as_deref().unwrap_or_default());
    changes.any(|change| {
        let touches =
            |one: &Change| within(&one.path, &change.path) || within(&change.path, &one.path);
        own.iter().any(touches)
    })
}

/// Does the author declare another outcome than `kept` for this evaluation?
fn declares_another(session: &Session, evaluations: &[&Exchange], second: &Exchange) -> bool {
    let expect = session
        .item(second)
        .map_or(&[][..], |promise| &promise.expect);
    let before = evaluations
        .iter()
        .filter(|other| other.item == second.item && other.number < second.number)
        .count();
    expect
        .get(before)
        .or(expect.last())
        .is_some_and(|outcome| outcome != "kept")
}
