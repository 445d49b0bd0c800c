//! # A state that equals its target is in sync
//!
//! ## What it requires
//! If the state has every value of the target, `insync?` does not answer false.
//!
//! ## Why
//! Otherwise the resource changes in every run, although there is nothing to set.
//!
//! ## How it is judged
//! - Judged: answers about states that have all properties of the target with the same values.
//! - Not judged: targets that set a parameter, such as `force`, since it may decide; examples whose
//!   author expects `changed` again; types without properties.
//!
//! ## Example
//! `is_hash[property].equal?(should_hash[property])` compares objects instead of values.
//!
//! ## How to fix
//! Answer nil for all properties that need no comparison of their own; compare with `==`.
//!
//! ## Source
//! Resource API specification, "Provider feature: custom_insync".

use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use puppet_types::definition::TRIGGER;
use puppet_types::{Behaviour, Definition, Value};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

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
        let is_false = match &said {
            Value::Array(said) => said.first() == Some(&Value::Bool(false)),
            said => *said == Value::Bool(false),
        };
        let broken = is_false.then(|| {
            format!(
                "`{}` is {} as it should be, and `insync?` answers false",
                property.to_text(),
                is.get(&property.to_text())
                    .map_or_else(String::new, Value::inspect)
            )
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
