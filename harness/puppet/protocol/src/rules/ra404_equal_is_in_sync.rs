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

use crate::after::says_no;
use crate::phase;
use crate::reads::READS;
use crate::session::{Call, Session};
use puppet_types::definition::TRIGGER;
use puppet_types::{Attribute, Behaviour, Definition, Type, Value};
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks =
    &[Check::Session(READS, check), Check::Session(READS, notices)];

/// It answers false although nothing differs.
const EQUAL: Variant = Variant::new("equal");
/// It answers true whatever differs.
const BLIND: Variant = Variant::new("blind");

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
    let mut all: BTreeMap<(Option<&str>, String), Answers<'_>> = BTreeMap::new();
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
        let answers = all.entry((definition.name.as_deref(), name)).or_default();
        answers.calls.push(call);
        match answer.value("value") {
            Some(Value::Bool(true)) => answers.unnoticed.push((is, should)),
            _ => answers.is_noticed = true,
        }
    }
    for ((_, name), answers) in all {
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
        if is_enough(definition, &name, &answers.unnoticed) {
            let (is, should) = &answers.unnoticed[0];
            let shown = |of: &Value| of.get(&name).map_or_else(String::new, Value::inspect);
            let message = format!(
                "`insync?` answers true for every other value of `{name}`, such as {} in place of {}",
                shown(should),
                shown(is)
            );
            ledger.check(last.number, last.provenance, Some(BLIND.says(message)));
        }
    }
}

/// Do these targets leave no doubt: several values, with each value of the parameters?
fn is_enough(definition: &Definition, name: &str, asked: &[(Value, Value)]) -> bool {
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
    let plain = |value: &Value| -> String {
        let text = value.inspect();
        let telling = text.chars().filter(|one| one.is_alphanumeric());
        telling.flat_map(char::to_lowercase).collect()
    };
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
