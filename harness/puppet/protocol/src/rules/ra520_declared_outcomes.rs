//! # The author's examples have the declared outcomes
//!
//! ## What it requires
//! Each evaluation of an example ends as its `expect` in `stickler.toml` says. After the first one,
//! `creates`, `absent` and `verify` hold. The resources of `[[invalid]]` are refused, and nothing
//! changes.
//!
//! ## Why
//! The author knows best what a resource needs.
//!
//! ## How it is judged
//! - Judged: evaluations of the author's own examples: `ok` if nothing had to be set, `changed` if
//!   `set` returned, `error` if a call failed. Also in other environments: an ASCII locale, no
//!   `LANG` or `HOME`, a minimal `PATH`, another working directory or `TMPDIR`, umask 077. Without
//!   `expect`, the evaluation after a `changed` one must be `ok` there.
//! - Judged: `creates`, `absent` and `verify`, unless the evaluation failed.
//! - Not judged: evaluations that fail because this machine lacks a library, a variable or a part
//!   of Puppet; `[[invalid]]` resources of types whose definition is at fault.
//! - Judged: `[[invalid]]` resources. Types, behaviours and title patterns refuse some without a
//!   call. The provider must refuse the others: by an exception, a failed block of the context, or
//!   `failed`. A transport must refuse a `[target.NAME]` with `invalid = true`.
//!
//! ## Example
//! `expect = ["changed", "ok"]`, and the first evaluation fails.
//!
//! ## How to fix
//! Correct the provider, or the expectation.
//!
//! ## Source
//! `expect` of the example, and `[[invalid]]`.

use crate::after::is_outdated;
use crate::message::{Answer, Failure, HostEvent};
use crate::phase;
use crate::purpose;
use crate::reads::{AMONG_OTHERS, ELSEWHERE};
use crate::releases::Releases;
use crate::rows::{evaluations, word};
use crate::session::{Call, Session, why};
use crate::targets::{TARGETS, keyed, raised};
use puppet_types::{Definition, Value};
use stickler_judge::{Check, Ledger, Relation, Variant, View as _};
use stickler_reading::looks;
use stickler_reading::words::visible;
use stickler_transcript::{Fate, Item, Key, Purpose};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(ELSEWHERE, check),
    Check::Session(&[Relation::INVALID], invalid),
    Check::Session(TARGETS, invalid_target),
];

/// What is invalid is accepted.
const ACCEPTED: Variant = Variant::new("accepts-invalid");
/// It is refused, but something has changed.
const CHANGED: Variant = Variant::new("changes-invalid");

/// Does the provider lack the rights of root? Then it may be refused what it needs.
fn is_unprivileged(session: &Session) -> bool {
    let plan = session.case().plan.as_ref();
    plan.is_some_and(|plan| plan.commands.iter().any(|command| command.unprivileged))
}

/// A campaign mixes examples, so do sessions with several resources, and what their authors declare holds for each alone.
fn is_mixed(session: &Session) -> bool {
    let mut groups = session.case().groups.iter();
    groups
        .any(|member| member.relation == Relation::FUZZ || AMONG_OTHERS.contains(&member.relation))
}

fn check(session: &Session, ledger: &mut Ledger) {
    if session.is_disturbed() || is_unprivileged(session) || is_mixed(session) {
        return;
    }
    for phase in [phase::CONNECT, phase::DEVICE] {
        for (call, answer) in session.calls(phase) {
            let (true, Some(failure)) = (call.key.is(purpose::CONNECT), answer.failure()) else {
                continue;
            };
            let mut items = session.case().items.iter();
            let expects = |expect: &[String]| expect.first().is_none_or(|first| first != "error");
            if let Some(item) = items.find(|item| item.original && expects(&item.expect)) {
                let about = format!("\"{}\" cannot be set", item.example);
                if let Some(why) = failure.lack() {
                    ledger.untried(format!("{about}: {why}"));
                    continue;
                }
                let why = format!("{about}: {}{}", failure.in_words(), failure.place());
                ledger.check(call.number, call.provenance, Some(why));
            }
        }
    }
    declared(session, ledger);
    if let Some(why) = unbuilt(session) {
        ledger.untried(why);
    }
    let mut groups = session.case().groups.iter();
    let elsewhere = groups
        .find(|member| member.relation == Relation::ENVIRONMENT && !member.role.is_reference());
    let where_ = elsewhere.map_or_else(String::new, |member| format!("with {}: ", member.role));
    let mut counts = std::collections::BTreeMap::new();
    for (key, call, outcome) in evaluations(session) {
        let (count, last) = counts
            .entry(call.item.clone())
            .or_insert((0_usize, Fate::Unchanged));
        let before = std::mem::replace(last, outcome);
        *count += 1;
        // RA512 judges what a call with `noop` leaves behind.
        let mut sets = session.asked(phase::SET);
        if sets.any(|set| set.number < call.number && is_noop(set)) {
            continue;
        }
        let Some(item) = session.item(call).filter(|item| item.original) else {
            continue;
        };
        if let Some(why) = call.failure().and_then(Failure::lack) {
            ledger.untried(why);
            continue;
        }
        // Each run of Puppet may be another process: what an earlier one remembers is judged by RA516.
        if outcome == Fate::Changed && is_outdated(session, call) {
            continue;
        }
        if item.expect.is_empty() && elsewhere.is_some() && before == Fate::Changed {
            let why = call.why_it_fails();
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            let broken = (outcome != Fate::Unchanged).then(|| {
                format!(
                    "{where_}evaluation {count} is `{}` after a change{why}",
                    word(outcome)
                )
            });
            ledger.check(call.number, call.provenance, broken);
        }
        let Some(expected) = item.expect.get(*count - 1).or(item.expect.last()) else {
            continue;
        };
        let releases = Releases::of(session);
        let strictly = match refuses_update(session, &key) {
            // What is evaluated here is stricter than the only release that the module is meant for.
            true if !releases.refuse() => continue,
            true => releases.strictly(),
            false => "",
        };
        let broken = (expected != word(outcome)).then(|| {
            let why = call.why_it_fails().or_else(|| unasked(session, &key));
            let why = why.map(|why| format!("{why}{strictly}"));
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            format!(
                "{where_}evaluation {count} is `{}` instead of `{expected}`{why}",
                word(outcome)
            )
        });
        ledger.check(call.number, call.provenance, broken);
    }
}

/// What is missing on this machine to build the provider of an example, which is never evaluated then. What is
/// refused without a provider says nothing about it.
fn unbuilt(session: &Session) -> Option<String> {
    let mut items = session.case().items.iter();
    let is_planned = items.any(|item| item.original && !item.invalid);
    let mut building = [phase::LOAD, phase::OPEN]
        .into_iter()
        .flat_map(|phase| session.calls(phase));
    let lack = building.find_map(|(_, answer)| answer.failure()?.lack())?;
    is_planned.then_some(lack)
}

/// Why an evaluation fails without a call that fails.
fn unasked(session: &Session, key: &Key) -> Option<String> {
    let conclusion = session.conclusion(key)?;
    let fails = matches!(conclusion.outcome, Fate::Failed | Fate::Refused);
    fails.then(|| format!("Puppet says: {}", why(conclusion)))
}

/// Is a resource refused since an attribute that is set at creation alone would change?
fn refuses_update(session: &Session, key: &Key) -> bool {
    let conclusion = session.conclusion(key);
    let failed = conclusion.filter(|one| matches!(one.outcome, Fate::Failed | Fate::Refused));
    failed.is_some_and(|one| why(one).contains("init_only attribute value"))
}

/// Is it only to say what it would change?
fn is_noop(set: &Call) -> bool {
    set.param("noop") == Some(Value::Bool(true))
}

/// Judges what the author declares about files and commands.
fn declared(session: &Session, ledger: &mut Ledger) {
    let outcomes = evaluations(session);
    for look in looks(&session.transcript) {
        let evaluated = outcomes.iter().find(|(key, ..)| look.key == key);
        let Some((_, call, Fate::Unchanged | Fate::Changed)) = evaluated else {
            continue;
        };
        let defect = look.broken(session.case());
        let defect = defect.map(|(_, what)| format!("after the evaluation, {what}"));
        ledger.check(call.number, call.provenance, defect);
    }
}

fn invalid(session: &Session, ledger: &mut Ledger) {
    if session.is_disturbed() || is_mixed(session) {
        return;
    }
    // What Puppet would refuse is unknown.
    let mut types = session.types.iter();
    if let Some(why) = types.find_map(|loaded| unreadable(&loaded.definition)) {
        ledger.skip(why);
        return;
    }
    for item in session.case().items.iter().filter(|item| item.invalid) {
        refused(session, item, ledger);
    }
}

/// The author declares that a transport cannot take the connection info of a target.
fn invalid_target(session: &Session, ledger: &mut Ledger) {
    let Some((call, answer)) = keyed(session, purpose::INVALID) else {
        return;
    };
    let is_accepted = answer.failure().is_none() && !raised(keyed(session, purpose::VERIFY));
    let defect = is_accepted.then(|| {
        let target = call
            .key
            .label()
            .map_or_else(String::new, |name| format!("[target.{name}] "));
        ACCEPTED.says(format!("{target}is declared invalid, and it is accepted"))
    });
    ledger.check(call.number, call.provenance, defect);
}

/// Why a definition does not say what is valid.
fn unreadable(definition: &Definition) -> Option<String> {
    let mut problems = definition.problems.iter();
    let problem = problems.find(|problem| {
        let rule = problem.rule(definition.subject);
        ["RA102", "RA105", "RA106", "RA108"].contains(&rule) && !problem.is_undecided()
    });
    problem.map(ToString::to_string)
}

fn refused(session: &Session, item: &Item, ledger: &mut Ledger) {
    let key = Purpose::REFUSED.of(&item.label);
    let own = session.exchanges.iter();
    let own: Vec<&Call> = own
        .filter(|call| call.item.as_ref() == Some(&item.label))
        .collect();
    // Without an answer, nothing is known.
    if own.iter().any(|call| !is_answered(call)) {
        return;
    }
    let Some(last) = own.last().copied().or(session.exchanges.last()) else {
        return;
    };
    let example = &item.example;
    let accepted = if own.iter().any(|call| call.fails() || says_failed(call)) {
        None
    } else if session.exchange(&key).is_some() {
        Some("`set` returns, and nothing fails")
    } else {
        match session.conclusion(&key).map(|fate| fate.outcome) {
            Some(Fate::Failed | Fate::Refused) => None,
            Some(Fate::Unchanged | Fate::Changed) => Some("there is nothing to set"),
            Some(Fate::Skipped) | None => return,
        }
    };
    if let Some(how) = accepted {
        let defect = ACCEPTED.says(format!("\"{example}\" is declared invalid, but {how}"));
        ledger.check(last.number, last.provenance, Some(defect));
        return;
    }
    let mut changes = own.iter().filter_map(|call| {
        let change = call.effects.iter().flatten().next()?;
        Some((*call, change))
    });
    let Some((call, change)) = changes.next() else {
        ledger.pass(last.number);
        return;
    };
    let defect = CHANGED.says(format!(
        "\"{example}\" is refused, but {} changed",
        visible(&change.path)
    ));
    let finding = ledger.finding(call.number, defect).graded(call.provenance);
    let has_noop = session
        .definition(call)
        .is_some_and(|own| own.has_feature("supports_noop"));
    // Whatever changes something in each `get`, or before it looks at `noop`, does so here, too.
    ledger.report(match call.phase {
        phase::GET => finding.follows("RA205"),
        phase::SET if has_noop => finding.follows("RA512"),
        _ => finding,
    });
}

fn is_answered(call: &Call) -> bool {
    matches!(call.answer, Some(Answer::Result(_) | Answer::Failed(_)))
}

/// Did the provider say that the resource failed? 1.8.16 only logs it.
fn says_failed(call: &Call) -> bool {
    let is_so = |event: &HostEvent| {
        event.kind == "action" && event.name == "failed" || event.name == "failing"
    };
    call.events.iter().any(is_so)
}
