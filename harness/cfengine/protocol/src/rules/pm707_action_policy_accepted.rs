//! # The module accepts `action_policy`, and acts as usual under `fix`
//!
//! ## What it requires
//! A module that advertises `action_policy` accepts `warn` and `fix`, acts under `fix` as
//! without the attribute, and under `nop` changes nothing or answers `invalid`.
//!
//! ## Why
//! The attribute arrives among the others of the promise. A module that rejects it as unknown
//! fails every promise with an `action` body, and every dry run.
//!
//! ## How it is judged
//! - Judged: the validation with `warn` and `fix`, if it is `valid` without the attribute;
//!   result and effects of the first evaluation with `fix`; changes under `nop`.
//! - Not judged: outcomes that differ between two normal runs; changes under `nop` if the
//!   module also changes something under `warn` (PM701).
//! - Lowered to should: changes under `nop`, which the specification does not name. With
//!   `--as spec` it is not sent.
//!
//! ## Example
//! A module answers `invalid` to `action_policy=fix`: "Unknown attribute".
//!
//! ## How to fix
//! Add `action_policy` to the attributes that the module knows, with the values `fix`, `warn`
//! and `nop`. Treat `fix` like an absent attribute, and `nop` like `warn`:
//! - Python: `only_warn = attributes.get("action_policy", "fix") in ("warn", "nop")`
//! - Shell: `case ${action_policy-fix} in warn | nop) only_warn=yes ;; *) only_warn= ;; esac`
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy" (`warn` only). cf-agent sends all three.

use crate::compare::{difference, expected, unstable};
use crate::partner::{Seen, at, effect_difference, graded, hangs, seen};
use crate::phase;
use crate::session::{Exchange, Session};
use crate::volatile::Volatile;
use crate::warn::{asked, worst};
use stickler_judge::{Check, Defect, Group, Ledger, Level, Relation, Role, Variant};
use stickler_transcript::Purpose;

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::WARN], check)];

/// The validation rejects the attribute.
const REJECTED: Variant = Variant::new("rejected");
/// The process ends.
const EXITS: Variant = Variant::new("exits");
/// There is no answer in time.
const HANGS: Variant = Variant::new("hangs");
/// Another result or other result classes under `fix`.
const OTHER_RESULT: Variant = Variant::new("other-result");
/// Other effects under `fix`.
const OTHER_EFFECTS: Variant = Variant::new("other-effects");
/// Something changes under `nop`.
const CHANGES: Variant = Variant::new("changes-under-nop")
    .titled("Under `action_policy` nop the module changes nothing");

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
            let Some(defect) = wrong else {
                ledger.passes.push(at(index, exchange));
                continue;
            };
            let finding = ledger
                .finding_at(at(index, exchange), defect)
                .expected(expected(normal, exchange))
                .also(at(partner, normal));
            ledger.report(graded(finding, exchange));
        }
    }
}

/// The exchange of the normal run, and how this one differs from it.
type Judged<'s> = Option<(&'s Exchange, Option<Defect>)>;

/// The exchange of the normal run about the same promise, the first of its phase.
fn normal<'s>(baseline: &'s Session, exchange: &Exchange) -> Option<&'s Exchange> {
    let purpose = match exchange.phase {
        phase::VALIDATE => Purpose::VALIDATE,
        _ => Purpose::EVALUATE,
    };
    baseline.exchange(&purpose.of(exchange.item.as_deref()?))
}

fn accepted<'s>(baseline: &'s Session, exchange: &Exchange, policy: &str) -> Judged<'s> {
    let normal = normal(baseline, exchange).filter(|normal| normal.is("valid"))?;
    let wrong = match seen(normal, exchange)? {
        _ if exchange.is("valid") => None,
        Seen::Same => None,
        Seen::Differs(_) => Some(REJECTED.says(format!(
            "`valid` without `action_policy`, but `{}` with {policy}",
            crate::words::visible(exchange.result().unwrap_or_default())
        ))),
        Seen::Unanswered(words) => {
            Some(silent(exchange).says(format!("validated with `action_policy` {policy}: {words}")))
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
    // Only evaluations on the fresh state are compared.
    let first = !session
        .evaluations()
        .any(|other| other.number < exchange.number && other.item == exchange.item);
    let normal = normal(baseline, exchange).filter(|_| first)?;
    let (variant, wrong) = match seen(normal, exchange)? {
        Seen::Same => (
            OTHER_EFFECTS,
            effect_difference(normal, exchange, session.case(), volatile),
        ),
        Seen::Differs(_) => (OTHER_RESULT, difference(normal, exchange)),
        Seen::Unanswered(words) => (silent(exchange), Some(words)),
    };
    let wrong =
        wrong.map(|words| variant.says(format!("evaluated with `action_policy` fix: {words}")));
    Some((normal, wrong))
}

/// Why there is no answer.
fn silent(exchange: &Exchange) -> Variant {
    if hangs(exchange) { HANGS } else { EXITS }
}

/// Does the module change things under `warn` as well? Then PM701 reports it.
fn changes_under_warn(group: &Group<'_, Session>, exchange: &Exchange) -> bool {
    group.role(Role::Warn).any(|(_, session)| {
        asked(session).any(|warned| {
            let changed = warned
                .effects
                .as_ref()
                .is_some_and(|effects| !effects.is_empty());
            warned.item == exchange.item && changed
        })
    })
}

fn nop(session: &Session, (index, exchange): (usize, &Exchange), ledger: &mut Ledger) {
    let Some(effects) = &exchange.effects else {
        return;
    };
    match worst(effects.iter(), session.case(), exchange) {
        Some((level, effect)) => {
            let message = format!("an evaluation under nop {}", effect.message);
            let finding = ledger
                .finding_at(at(index, exchange), CHANGES.says(message))
                .expected("no change, or a validation that answers invalid")
                // The specification names `warn` and `fix` alone.
                .at_most(level.min(Level::Should))
                .graded(exchange.provenance);
            ledger.report(finding);
        }
        None if exchange.result().is_some() => ledger.passes.push(at(index, exchange)),
        None => {}
    }
}
