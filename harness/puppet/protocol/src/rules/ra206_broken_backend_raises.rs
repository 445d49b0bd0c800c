//! # `get` raises if its backend fails
//!
//! ## What it requires
//! If the system behind a provider does not answer, or refuses access, `get` raises. It does not
//! return fewer rows.
//!
//! ## Why
//! Otherwise the runtime creates resources that already exist, or considers them removed.
//!
//! ## How it is judged
//! - Judged: `get` on a target whose services have stopped, or that refuses the credentials. On
//!   this machine: while `[[service]]` is down, while the commands of `[fake]` exit with code 70,
//!   while a file that an example created is unreadable or holds half of a JSON document. Stickler
//!   compares the rows with those of the working backend.
//! - Judged: other values in such rows, such as defaults, while a file is unreadable, or while one command that
//!   prints something exits with 70, and all others work.
//! - Not judged: commands that are missing or exit with 1, which often means "no"; providers that
//!   still return the same rows.
//!
//! ## Example
//! `rescue Errno::ECONNREFUSED` that returns `[]`; `` `queuectl list`.lines `` without a check of
//! `$?`.
//!
//! ## How to fix
//! Let the exception pass, or raise `Puppet::Error` with a message that names the system.
//!
//! ## Source
//! Resource API specification, "Resource implementation". puppet-resource_api 1.8.16 calls `get`
//! again for each resource, and each fails with the exception's message.

use crate::absent::is_absent;
use crate::backends::{broken, broken_reads};
use crate::others::is_same;
use crate::purpose;
use crate::relation;
use crate::rows::named;
use crate::services::judge_reads;
use crate::session::{Call, Session};
use crate::targets::{TARGETS, keyed, returned, rows};
use puppet_types::{Behaviour, Value};
use stickler_judge::{Check, Group, Ledger, Relation, RunPlace, Variant};

pub(super) const CHECKS: super::Checks = &[
    Check::Group(TARGETS, check),
    Check::Session(TARGETS, judge_reads),
    Check::Session(&[relation::BACKEND, Relation::COMMANDS], local),
];

/// It says something else.
const DEFAULTS: Variant = Variant::new("defaults");

/// Backends on this machine.
fn local(session: &Session, ledger: &mut Ledger) {
    let count = |called| {
        let rows = rows(called);
        let rows = rows.as_ref().and_then(Value::as_array).unwrap_or_default();
        rows.iter().filter(|row| !is_absent(row)).count()
    };
    for (whole, call) in broken_reads(session) {
        let usual = whole
            .answer
            .as_ref()
            .map_or(0, |answer| count(Some((whole, answer))));
        let (Some(answer), true) = (&call.answer, usual > 0) else {
            continue;
        };
        if answer.failure().is_some() {
            ledger.pass(call.number);
            continue;
        }
        let found = count(Some((call, answer)));
        // A provider may not need what is broken.
        if returned(Some((call, answer))) && found < usual {
            let what = broken(call).unwrap_or("its backend is broken");
            let message = format!("{what}, but `get` returns {found} rows instead of {usual}");
            ledger.check(call.number, call.provenance, Some(message));
        } else if let Some(what) = tells_defaults(call)
            && let Some(other) = other_value(session, whole, call)
        {
            let message = format!("{what}, but `get` returns {other}");
            ledger.check(call.number, call.provenance, Some(DEFAULTS.says(message)));
        }
    }
}

/// What is broken, if values that differ then are made up.
fn tells_defaults(call: &Call) -> Option<&'static str> {
    let part = call.key.part_of(purpose::BROKEN)?;
    let is_known = part == purpose::CLOSED || part.starts_with(purpose::ONE);
    broken(call).filter(|_| is_known)
}

/// The first value that a broken backend shows in place of the usual one, in words.
fn other_value(session: &Session, whole: &Call, broken: &Call) -> Option<String> {
    let definition = session.definition(broken)?;
    let (usual, now) = (whole.value()?, broken.value()?);
    let now = now.as_array()?;
    usual.as_array()?.iter().find_map(|row| {
        let other = now.iter().find(|other| is_same(definition, row, other))?;
        let all = definition.attributes.iter();
        let mut all = all.filter(|one| one.behaviour != Behaviour::ReadOnly);
        all.find_map(|attribute| {
            let name = &attribute.name;
            let of = |row: &Value| row.get(name).filter(|value| !value.is_nil()).cloned();
            let (was, is) = (of(row), of(other));
            let shown = |value: Option<Value>| {
                value.map_or_else(|| "nothing".to_owned(), |value| value.inspect())
            };
            (was != is).then(|| {
                let of = named(definition, row);
                format!(
                    "{} as `{name}` of {of} instead of {}",
                    shown(is),
                    shown(was)
                )
            })
        })
    })
}

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let count = |rows: &Value| rows.as_array().map_or(0, <[_]>::len);
    let Some((_, whole)) = group.baseline() else {
        return;
    };
    let Some(usual) = rows(keyed(whole, purpose::GET)).filter(|rows| count(rows) > 0) else {
        return;
    };
    for (role, index, session) in group.variants() {
        let key = match role.name() {
            "stopped" => purpose::GET_LOST,
            _ => purpose::GET,
        };
        let Some((call, answer)) = keyed(session, key) else {
            continue;
        };
        let place = RunPlace::at(index, call.number);
        if answer.failure().is_some() {
            ledger.passes.push(place);
        } else if returned(Some((call, answer))) {
            let found = rows(Some((call, answer)));
            let fewer = found
                .as_ref()
                .is_none_or(|found| count(found) < count(&usual));
            if !fewer {
                ledger.skip("the target still answers");
                continue;
            }
            let message = format!(
                "{}, but `get` returns {} rows instead of {}",
                match role.name() {
                    "gone" | "stopped" => "the target does not answer".to_owned(),
                    // A role such as "wrong password".
                    wrong => format!("the target refuses a {wrong}"),
                },
                found.as_ref().map_or(0, count),
                count(&usual)
            );
            let finding = ledger.finding_at(place, message);
            ledger.report(finding.graded(call.provenance));
        }
    }
}
