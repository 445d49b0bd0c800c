//! # A state that equals its target is in sync
//!
//! ## What it requires
//! If the state has every value of the target, `insync?` does not answer false. For some other value of
//! each property, it does not answer true.
//!
//! ## Why
//! Otherwise the resource changes in every run, although there is nothing to set; or the property is
//! never set.
//!
//! ## How it is judged
//! - Judged: answers about states that have all properties of the target with the same values; a
//!   property for which every answer about quite another value is true, with each value of the
//!   parameters.
//! - Lowered to should: a list for which every answer is true where the state has only a part of it; a list
//!   for which the answer is true, although a `set` for the sake of another property adds or removes members.
//! - Not judged: equal targets that set a parameter, such as `force`, since it may decide; examples
//!   whose author expects `changed` again; types without properties; values that differ in case or
//!   signs alone, and lists of which the state has all elements.
//!
//! ## Example
//! `is_hash[property].equal?(should_hash[property])` compares objects instead of values.
//!
//! ## How to fix
//! Answer nil for all properties that need no comparison of their own; compare with `==`.
//!
//! ## Source
//! Resource API specification, "Provider feature: custom_insync".

use crate::after::{after_each, says_no};
use crate::phase;
use crate::purpose;
use crate::reads::READS;
use crate::rows::is_difficult;
use crate::session::{Call, Session};
use puppet_types::definition::TRIGGER;
use puppet_types::{Attribute, Behaviour, Definition, Type, Value};
use std::collections::{BTreeMap, BTreeSet};
use stickler_judge::{Check, Ledger, Level, Variant};
use stickler_reading::words::telling;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(READS, check),
    Check::Session(READS, notices),
    Check::Session(READS, contradicts),
];

/// It answers false although nothing differs.
const EQUAL: Variant = Variant::new("equal");
/// It answers true whatever differs.
const BLIND: Variant = Variant::new("blind");
/// It answers true for a part of a list.
const PART: Variant = Variant::new("part");
/// It answers true for a list that `set` changes all the same.
const CONTRADICTS: Variant = Variant::new("contradicts");

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::INSYNC) {
        let (Some(is), Some(should), Some(property), Some(said)) = (
            call.param("is"),
            call.param("should"),
            call.param("property"),
            answer.value("value"),
        ) else {
            continue;
        };
        let Some(definition) = session.definition(call) else {
            continue;
        };
        let expects_changes = session
            .item(call)
            .is_some_and(|item| item.expect.last().is_some_and(|last| last == "changed"));
        let is_trigger = property.as_str() == Some(TRIGGER);
        if is_trigger || expects_changes || !is_equal(definition, &is, &should) {
            continue;
        }
        let broken = says_no(&said).then(|| {
            EQUAL.says(format!(
                "`{}` is {} as it should be, and `insync?` answers false",
                property.to_text(),
                is.get(&property.to_text())
                    .map_or_else(String::new, Value::inspect)
            ))
        });
        ledger.check(call.number, call.provenance, broken);
    }
}

/// Are all properties of the target as they should be, and is no parameter set?
fn is_equal(definition: &Definition, is: &Value, should: &Value) -> bool {
    let members = should.as_hash().unwrap_or_default();
    members.iter().all(|(key, wanted)| {
        let Some(attribute) = key.as_symbol().and_then(|name| definition.attribute(name)) else {
            return true;
        };
        match attribute.behaviour {
            Behaviour::Parameter => !wanted.is_truthy(),
            _ => is.get(&attribute.name) == Some(wanted),
        }
    })
}

/// What `insync?` says of quite other values of a property.
#[derive(Default)]
struct Answers<'s> {
    calls: Vec<&'s Call>,
    /// The states and targets for which the answer was true.
    unnoticed: Vec<(Value, Value)>,
    is_noticed: bool,
}

/// A property whose every other value is in sync is never set.
fn notices(session: &Session, ledger: &mut Ledger) {
    let mut all: BTreeMap<(Option<&str>, String, bool), Answers<'_>> = BTreeMap::new();
    for (call, answer) in session.calls(phase::INSYNC) {
        let (Some(definition), Some(is), Some(should), Some(property)) = (
            session.definition(call),
            call.param("is"),
            call.param("should"),
            call.param("property"),
        ) else {
            continue;
        };
        let name = property.to_text();
        let (Some(now), Some(wanted)) = (is.get(&name), should.get(&name)) else {
            continue;
        };
        if !is_quite_other(definition, now, wanted) {
            continue;
        }
        let of = definition.name.as_deref();
        for is_part in [false, true] {
            if is_part && !has_more(now, wanted) {
                continue;
            }
            let answers = all.entry((of, name.clone(), is_part)).or_default();
            answers.calls.push(call);
            match answer.value("value") {
                Some(Value::Bool(true)) => answers.unnoticed.push((is.clone(), should.clone())),
                _ => answers.is_noticed = true,
            }
        }
    }
    let blind: Vec<String> = all
        .iter()
        .filter(|((.., is_part), answers)| !is_part && !answers.is_noticed)
        .map(|((_, name, _), _)| name.clone())
        .collect();
    for ((_, name, is_part), answers) in all {
        let Some(last) = answers.calls.last() else {
            continue;
        };
        if answers.is_noticed {
            ledger.pass(last.number);
            continue;
        }
        let Some(definition) = session.definition(last) else {
            continue;
        };
        // Whoever notices nothing does not notice this either.
        if is_part && blind.contains(&name) {
            continue;
        }
        if is_enough(definition, &name, &answers.unnoticed, is_part) {
            let (is, should) = &answers.unnoticed[0];
            let shown = |of: &Value| of.get(&name).map_or_else(String::new, Value::inspect);
            if is_part {
                let defect = PART.says(format!(
                    "`insync?` answers true although `{name}` is only {} and should be {}",
                    shown(is),
                    shown(should)
                ));
                let finding = ledger.finding(last.number, defect).at_most(Level::Should);
                ledger.report(finding.graded(last.provenance));
                continue;
            }
            let message = format!(
                "`insync?` answers true for every other value of `{name}`, such as {} in place of {}",
                shown(should),
                shown(is)
            );
            ledger.check(last.number, last.provenance, Some(BLIND.says(message)));
        }
    }
}

/// What `insync?` takes for right is not changed, if only another property is to change.
fn contradicts(session: &Session, ledger: &mut Ledger) {
    let asked: Vec<_> = session.calls(phase::INSYNC).collect();
    for one in after_each(session) {
        let (Some(row), Some(is), Some(should)) =
            (&one.row, one.change.get("is"), one.change.get("should"))
        else {
            continue;
        };
        if one.set.key.is(purpose::REPEATED) || is_difficult(session, one.set) {
            continue;
        }
        let own = asked.iter().filter(|(call, answer)| {
            call.number < one.set.number
                && call.item == one.set.item
                && call.process == one.set.process
                && !session.is_set_between(call, one.set)
                && answer.value("value") == Some(Value::Bool(true))
        });
        for (call, _) in own {
            let Some(name) = call.param("property").map(|property| property.to_text()) else {
                continue;
            };
            let of = |state: &Value| Some(state.get(&name)?.clone());
            let (Some(before), Some(wanted), Some(after)) = (of(is), of(should), of(row)) else {
                continue;
            };
            let was_asked =
                |key, value: &Value| call.param(key).as_ref().and_then(of).as_ref() == Some(value);
            if !was_asked("is", &before) || !was_asked("should", &wanted) {
                continue;
            }
            let (Some(had), Some(wants), Some(has)) =
                (members(&before), members(&wanted), members(&after))
            else {
                continue;
            };
            if had == wants {
                continue;
            }
            if has != wants {
                ledger.pass(call.number);
                continue;
            }
            let defect = CONTRADICTS.says(format!(
                "`insync?` answers true for `{name}`, {} in place of {}, and `set` changes it all the same",
                before.inspect(),
                wanted.inspect()
            ));
            let set = ledger.place(one.set.number);
            let finding = ledger.finding(call.number, defect).also(set);
            ledger.report(finding.at_most(Level::Should).graded(call.provenance));
        }
    }
}

/// The members of a collection, whatever their order and their signs.
fn members(of: &Value) -> Option<BTreeSet<String>> {
    Some(match of {
        Value::Array(all) => all.iter().map(plain).collect(),
        Value::Hash(all) => {
            let pair = |(key, value): &(Value, Value)| format!("{}={}", plain(key), plain(value));
            all.iter().map(pair).collect()
        }
        _ => return None,
    })
}

/// Has a target all that is there, and more?
fn has_more(is: &Value, should: &Value) -> bool {
    let (Some(is), Some(should)) = (members(is), members(should)) else {
        return false;
    };
    is.is_subset(&should) && is != should
}

/// What is left of a value if signs and case mean nothing.
fn plain(value: &Value) -> String {
    telling(&value.inspect())
}

/// Do these targets leave no doubt: several values, with each value of the parameters?
fn is_enough(definition: &Definition, name: &str, asked: &[(Value, Value)], is_part: bool) -> bool {
    let distinct = |name: &str| {
        let mut all: Vec<String> = asked
            .iter()
            .map(|(_, should)| should.get(name).map_or_else(String::new, Value::inspect))
            .collect();
        all.sort();
        all.dedup();
        all.len()
    };
    let least = match definition.attribute(name).map(own_type) {
        Some(Some(Type::Boolean(_))) => 1,
        // The elements that are there are no guess.
        _ if is_part => 1,
        _ => 2,
    };
    let mut attributes = definition.attributes.iter();
    distinct(name) >= least
        && attributes.all(|one| match (one.behaviour, own_type(one)) {
            (Behaviour::Parameter, Some(Type::Boolean(_) | Type::Enum { .. })) => {
                distinct(&one.name) > 1
            }
            (Behaviour::Parameter, _) => {
                let mut given = asked.iter().map(|(_, should)| should.get(&one.name));
                given.all(|value| value.is_none_or(Value::is_nil))
            }
            _ => true,
        })
}

/// The type of an attribute that is given.
fn own_type(attribute: &Attribute) -> Option<&Type> {
    match attribute.data_type.as_ref()? {
        Type::Optional(Some(inner)) => Some(&**inner),
        other => Some(other),
    }
}

/// Do two values differ however loosely they are compared? Numbers may be near enough if a parameter says so.
fn is_quite_other(definition: &Definition, is: &Value, should: &Value) -> bool {
    match (is, should) {
        (Value::Bool(is), Value::Bool(should)) => is != should,
        (Value::Integer(is), Value::Integer(should)) => {
            let mut attributes = definition.attributes.iter();
            is != should && !attributes.any(|one| one.behaviour == Behaviour::Parameter)
        }
        (Value::String(_), Value::String(_)) => {
            let (is, should) = (plain(is), plain(should));
            !is.is_empty() && !should.is_empty() && is != should
        }
        (Value::Array(is), Value::Array(should)) => {
            let known: Vec<String> = is.iter().map(plain).collect();
            should.iter().any(|one| !known.contains(&plain(one)))
        }
        (Value::Hash(is), Value::Hash(should)) => {
            let pair = |(key, value): &(Value, Value)| (plain(key), plain(value));
            let known: Vec<_> = is.iter().map(pair).collect();
            should.iter().any(|one| !known.contains(&pair(one)))
        }
        _ => false,
    }
}
