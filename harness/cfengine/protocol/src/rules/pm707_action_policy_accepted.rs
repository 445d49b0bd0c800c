//! # `action_policy` is accepted, and `fix` is the usual way
//!
//! ## What it requires
//! A module that advertises `action_policy` does not reject a promise for having
//! the attribute with `warn` or `fix`. With `fix` the promise has the outcome that
//! it has without the attribute. With `nop` the evaluation changes nothing, or the
//! validation says `invalid`.
//!
//! ## Why
//! The attribute reaches the module among the others. A check for unknown
//! attributes that does not know it fails each promise with an `action` body, and
//! each dry run.
//!
//! ## How it is judged
//! A promise that is valid without the attribute is validated and evaluated with
//! each of its values. Effects are read around the evaluation with `nop`.
//!
//! cf-agent 3.21.0 sends `fix` and `nop` as they stand in the policy; the
//! specification speaks of `warn` alone.
//!
//! ## Example
//! ```text
//! → validate_promise {dir}/greeting message=hello action_policy=fix
//! ← log_error=Unknown attribute 'action_policy'
//! ← {"operation": "validate_promise", "result": "invalid"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy"; requests of cf-agent 3.21.0.

use stickler_judge::{Relation, Role};
use crate::phase;
use crate::compare::{difference, expected, unstable};
use crate::partner::{Seen, Volatile, at, effect_difference, graded, seen};
use crate::session::{Exchange, Session};
use crate::warn::{asked, worst};
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Warn], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    let unstable = unstable(group);
    let volatile = Volatile::of(group);
    let policies = group
        .variants()
        .filter(|variant| matches!(variant.0, Role::Warn | Role::Fix | Role::Nop));
    for (_, index, session) in policies {
        for exchange in &session.exchanges {
            if !session.process(exchange).action_policy {
                continue;
            }
            let wrong = match (exchange.phase, exchange.policy()) {
                (phase::VALIDATE, Some(policy @ (b"warn" | b"fix"))) => {
                    let policy = if policy == b"fix" { "fix" } else { "warn" };
                    accepted(baseline, exchange, policy)
                }
                (phase::EVALUATE, Some(b"fix")) => {
                    same_as_usual(baseline, session, exchange, &volatile)
                }
                (phase::EVALUATE, Some(b"nop")) => {
                    if !changes_under_warn(group, exchange) {
                        nop(session, (index, exchange), ledger);
                    }
                    continue;
                }
                (phase::VALIDATE, Some(b"nop")) if exchange.is("invalid") => {
                    ledger.passes.push(at(index, exchange));
                    continue;
                }
                _ => continue,
            };
            let Some((normal, wrong)) = wrong else {
                continue;
            };
            if unstable.contains(&normal.key) {
                continue;
            }
            let Some(message) = wrong else {
                ledger.passes.push(at(index, exchange));
                continue;
            };
            let finding = ledger
                .finding_at(at(index, exchange), message)
                .expected(expected(normal, exchange))
                .also(at(partner, normal));
            ledger.report(graded(finding, exchange));
        }
    }
}

/// The normal exchange that says what this one should come to, and what is wrong.
type Judged<'s> = Option<(&'s Exchange, Option<String>)>;

/// The exchange of the normal run about the same promise, the first of its phase.
fn normal<'s>(baseline: &'s Session, exchange: &Exchange) -> Option<&'s Exchange> {
    let kind = match exchange.phase {
        phase::VALIDATE => "v",
        _ => "e",
    };
    baseline.exchange(&format!("{kind}:{}", exchange.promise.as_deref()?))
}

fn accepted<'s>(baseline: &'s Session, exchange: &Exchange, policy: &str) -> Judged<'s> {
    let normal = normal(baseline, exchange).filter(|normal| normal.is("valid"))?;
    let wrong = match seen(normal, exchange)? {
        _ if exchange.is("valid") => None,
        Seen::Same => None,
        Seen::Differs(_) => Some(format!(
            "valid without `action_policy`, with {policy} it is `{}`",
            crate::words::visible(exchange.result().unwrap_or_default())
        )),
        Seen::Unanswered(words) => {
            Some(format!("validated with `action_policy` {policy}: {words}"))
        }
    };
    Some((normal, wrong))
}

fn same_as_usual<'s>(
    baseline: &'s Session,
    session: &Session,
    exchange: &Exchange,
    volatile: &Volatile,
) -> Judged<'s> {
    // Compared on the fresh state alone.
    let first = !session
        .evaluations()
        .any(|other| other.number < exchange.number && other.promise == exchange.promise);
    let normal = normal(baseline, exchange).filter(|_| first)?;
    let wrong = match seen(normal, exchange)? {
        Seen::Same => effect_difference(normal, exchange, session.case(), volatile),
        Seen::Differs(_) => difference(normal, exchange),
        Seen::Unanswered(words) => Some(words),
    };
    Some((
        normal,
        wrong.map(|words| format!("evaluated with `action_policy` fix: {words}")),
    ))
}

/// Does it change things under warn as well? Then that is PM701's matter.
fn changes_under_warn(group: &Group<'_, Session>, exchange: &Exchange) -> bool {
    group.role(Role::Warn).any(|(_, session)| {
        asked(session).any(|warned| {
            let changed = warned
                .effects
                .as_ref()
                .is_some_and(|effects| !effects.is_empty());
            warned.promise == exchange.promise && changed
        })
    })
}

fn nop(session: &Session, (index, exchange): (usize, &Exchange), ledger: &mut Ledger) {
    let Some(effects) = &exchange.effects else {
        return;
    };
    match worst(effects.iter(), session.case(), exchange) {
        Some((level, words)) => {
            let finding = ledger
                .finding_at(
                    at(index, exchange),
                    format!("evaluated with nop, it {words}"),
                )
                .expected("no change, or invalid in the validation")
                .at_most(level)
                .graded(exchange.provenance);
            ledger.report(finding);
        }
        None if exchange.result().is_some() => ledger.passes.push(at(index, exchange)),
        None => {}
    }
}
