//! # A filter of names agrees with the whole list
//!
//! ## What it requires
//! This rule is for types with the feature `simple_get_filter`. For nil and without an argument,
//! `get` returns all resources. For names, it returns at least those that exist, with the same
//! values as in the whole list. It never returns a resource that does not exist. It accepts an
//! empty list.
//!
//! ## Why
//! The runtime asks for single resources in a run, and for all of them in `puppet resource`.
//!
//! ## How it is judged
//! - Judged: calls with names, compared with a call without names in the same session; errors such as
//!   NoMethodError in a call without names, in a session without resources.
//! - Judged, as a should: a `get` whose `names` has no default. No measured release calls it so.
//! - Judged: values that only the whole list has; a run would take them for missing.
//! - Not judged: values of read_only attributes; values that only the call with names has, since
//!   a list may be short; further resources that exist.
//!
//! ## Example
//! `get(context, names)` without a default for `names`.
//!
//! ## How to fix
//! Write `def get(context, names = nil)`, and return all rows if `names.nil?`.
//!
//! ## Source
//! Resource API specification, "Provider feature: simple_get_filter". puppet-resource_api 1.8.16
//! passes an empty list where 2.0.1 passes nil.

use super::ra801_plain_errors::OF_THE_CODE;
use crate::absent::is_absent;
use crate::backends::{broken, commands_fail};
use crate::by_name::reads_by_name_alone;
use crate::message::Answer;
use crate::purpose;
use crate::relation;
use crate::rows::{Read, named, reads};
use crate::services::is_down;
use crate::session::{Call, Session};
use puppet_types::{Behaviour, Value};
use stickler_judge::{Check, Ledger, Level, Relation, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[
        relation::BESIDE,
        relation::DEFINITIONS,
        relation::FEATURES,
        Relation::UNDONE,
    ],
    check,
)];

/// It failed.
const FAILED: Variant = Variant::new("failed");
/// A row is missing.
const MISSING: Variant = Variant::new("missing");
/// A row is not there.
const INVENTED: Variant = Variant::new("invented");
/// A value differs.
const DIFFERS: Variant = Variant::new("differs");
/// A list of no names lists fewer rows than nil.
const EMPTY: Variant = Variant::new("empty-list");
/// A row lacks a value.
const LACKS: Variant = Variant::new("lacks");

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(crate::phase::GET) {
        let own = session.definition(call);
        let is_filtered = own.is_some_and(|own| own.has_feature("simple_get_filter"));
        let Answer::Failed(failure) = answer else {
            continue;
        };
        let class = failure.class.as_deref().unwrap_or_default();
        let is_crash = OF_THE_CODE.contains(&class)
            && failure.lack().is_none()
            && !session.is_disturbed()
            && !commands_fail(session)
            && broken(call).is_none()
            && !is_down(call)
            && call.param("names").is_none_or(|names| names.is_nil());
        // What asks by name all the same is not concerned: a session without resources shows it.
        let is_concerned = session.is_mixed() || !works_by_name(session, call);
        if is_filtered && is_concerned && (failure.is_arity() || is_crash) {
            // Only a runtime that does not know the feature calls it so.
            let is_unusual = failure.is_arity() && call.param("names").is_none();
            let names = call
                .param("names")
                .map_or("nothing".to_owned(), |names| names.inspect());
            let message = match is_crash {
                true => format!(
                    "given {names}{}, `get` raises {}{}",
                    asked_by(&names),
                    failure.in_words(),
                    failure.place()
                ),
                false => format!(
                    "`get` given {names}{}: {}",
                    match is_unusual {
                        true =>
                            ", as by a runtime that does not know the feature (no measured release does so)",
                        false => asked_by(&names),
                    },
                    failure.message
                ),
            };
            let finding = ledger.finding(call.number, FAILED.says(message)).telling();
            let most = match is_unusual {
                true => Level::Should,
                false => Level::Must,
            };
            ledger.report(finding.at_most(most).graded(call.provenance));
        }
    }
    let all: Vec<Read<'_>> = reads(session)
        .filter(|read| read.definition.has_feature("simple_get_filter"))
        .collect();
    for read in &all {
        let Some(names) = read.call.param("names") else {
            continue;
        };
        let whole = all.iter().rev().find(|other| {
            other.call.number < read.call.number
                && other.call.process == read.call.process
                && other.call.param("names").is_none()
                && other.call.param("provider") == read.call.param("provider")
        });
        let Some(whole) = whole else { continue };
        if session.changed_between(whole.call, read.call) || was_set(session, whole, read) {
            continue;
        }
        if read.call.key.part_of(purpose::ALL) == Some(purpose::OLDER) {
            let finding = |broken| {
                let finding = ledger.finding(read.call.number, broken);
                finding.at_most(Level::Should).graded(read.call.provenance)
            };
            match lists_less(whole, read).map(finding) {
                Some(finding) => ledger.report(finding),
                None => ledger.pass(read.call.number),
            }
            continue;
        }
        let broken = differs(whole, read, &names);
        ledger.check(read.call.number, read.call.provenance, broken);
    }
}

/// Which library asks for all rows in this way, as a clause.
fn asked_by(names: &str) -> &'static str {
    match names {
        "nil" => ", as puppet-resource_api 2.0 asks for all rows",
        "[]" => ", as puppet-resource_api 1.8.16 and 1.9 ask for all rows",
        _ => "",
    }
}

/// An empty list is how older libraries ask for all rows.
fn lists_less(whole: &Read<'_>, read: &Read<'_>) -> Option<stickler_judge::Defect> {
    let namevars = read.definition.namevars();
    let is_there = |row: &Value| {
        let mut found = read.rows().iter();
        found.any(|other| namevars.iter().all(|name| row.get(name) == other.get(name)))
    };
    let mut rows = whole.rows().iter().filter(|row| !is_absent(row));
    let row = rows.find(|row| row.as_hash().is_some() && !is_there(row))?;
    Some(EMPTY.says(format!(
        "given [], as puppet-resource_api 1.8.16 and 1.9 ask for all rows, `get` leaves out {}: `puppet resource` \
         does not list it, and a purge does not find it",
        named(read.definition, row)
    )))
}

/// Does a session show that the provider of a failed call without names works with names?
fn works_by_name(session: &Session, failed: &Call) -> bool {
    let mut others = session.calls(crate::phase::GET);
    failed.param("names").is_none_or(|names| names.is_nil())
        && others.any(|(other, _)| {
            session.is_same_provider(failed, other) && reads_by_name_alone(session, other).is_some()
        })
}

fn was_set(session: &Session, first: &Read<'_>, second: &Read<'_>) -> bool {
    let between = first.call.number..second.call.number;
    let mut sets = session.calls(crate::phase::SET);
    sets.any(|(set, _)| between.contains(&set.number))
}

fn differs(whole: &Read<'_>, read: &Read<'_>, names: &Value) -> Option<stickler_judge::Defect> {
    let namevars = read.definition.namevars();
    let is_same =
        |one: &Value, other: &Value| namevars.iter().all(|name| one.get(name) == other.get(name));
    let asked = |row: &&Value| match names {
        Value::Array(names) => names.iter().any(|name| match name {
            Value::Hash(_) => is_same(name, row),
            name => namevars.first().and_then(|own| row.get(own)) == Some(name),
        }),
        _ => true,
    };
    let is_listed = |row: &Value| whole.rows().iter().any(|other| is_same(row, other));
    let mut invented = read.rows().iter().filter(|row| !is_absent(row));
    if let Some(row) = invented.find(|row| row.as_hash().is_some() && !is_listed(row)) {
        let of = named(read.definition, row);
        return Some(INVENTED.says(format!(
            "asked by name, `get` returns {of}, which is not among all rows"
        )));
    }
    for row in whole.rows().iter().filter(asked) {
        let of = named(read.definition, row);
        let Some(found) = read.rows().iter().find(|other| is_same(row, other)) else {
            return Some(MISSING.says(format!("asked by name, `get` leaves out {of}")));
        };
        let mut others = Vec::new();
        for (key, value) in row.as_hash().unwrap_or_default() {
            let Some(name) = key.as_symbol() else {
                continue;
            };
            let attribute = read.definition.attribute(name);
            let lasts = attribute.is_some_and(|one| one.behaviour != Behaviour::ReadOnly);
            if lasts && found.get(name).is_none() && !value.is_nil() {
                return Some(LACKS.says(format!(
                    "asked by name, `get` returns {of} without its `{name}`, {}",
                    value.inspect()
                )));
            }
            if let Some(other) = found.get(name).filter(|_| lasts)
                && other != value
            {
                let (is, usual) = (other.inspect(), value.inspect());
                others.push(format!("`{name}` of {of} is {is} instead of {usual}"));
            }
        }
        if !others.is_empty() {
            let others = others.join("; ");
            return Some(DIFFERS.says(format!("asked by name, {others}")));
        }
    }
    None
}
