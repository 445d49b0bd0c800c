//! # A SimpleProvider has create, update and delete
//!
//! ## What it requires
//! A provider that inherits `set` from SimpleProvider serves a type with `ensure`, and has
//! `create(context, name, should)`, `update(context, name, should)` and `delete(context, name)`.
//!
//! ## Why
//! SimpleProvider calls them with these arguments. Otherwise each change fails.
//!
//! ## How it is judged
//! - Judged: the methods of each such provider; `update` if the type has a property that can change.
//!
//! ## Example
//! `def delete(context, name, should)`.
//!
//! ## How to fix
//! Add the methods, with these parameters; `_should` if one is not used.
//!
//! ## Source
//! Resource API specification, "Implementing simple providers".

use crate::declared::{is_simple, takes};
use crate::message::Answer;
use crate::phase;
use crate::reads::DEFINITIONS;
use crate::session::Session;
use puppet_types::Behaviour;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, check)];

/// A method is missing.
const MISSING: Variant = Variant::new("missing");
/// A method takes other arguments.
const ARGUMENTS: Variant = Variant::new("arguments");
/// The type has no `ensure`.
const ENSURE: Variant = Variant::new("ensure");

/// The methods, their arguments in words, and how many they are.
const METHODS: [(&str, &str, usize); 3] = [
    ("create", "context, name, should", 3),
    ("update", "context, name, should", 3),
    ("delete", "context, name", 2),
];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::OPEN) {
        let (Answer::Result(result), Some(definition)) = (answer, session.definition_of(call))
        else {
            continue;
        };
        if !is_simple(answer) {
            continue;
        }
        let has_ensure = definition.attribute("ensure").is_some();
        let broken = (!has_ensure)
            .then(|| ENSURE.says("the provider is simple, and the type has no `ensure`"));
        ledger.check(call.number, call.provenance, broken);
        let can_change = definition
            .attributes
            .iter()
            .any(|one| one.behaviour == Behaviour::Property && one.name != "ensure");
        let inherited = answer.value("inherited");
        let inherited = inherited.as_ref().and_then(|names| names.as_array());
        for (name, arguments, count) in METHODS {
            if name == "update" && !can_change {
                continue;
            }
            let is_inherited =
                inherited.is_some_and(|names| names.iter().any(|one| one.as_str() == Some(name)));
            let parameters = result.get("methods").and_then(|methods| methods.get(name));
            let broken = match parameters {
                Some(parameters) if !is_inherited => (!takes(parameters, count))
                    .then(|| ARGUMENTS.says(format!("`{name}` does not take ({arguments})"))),
                _ => Some(MISSING.says(format!("there is no method `{name}({arguments})`"))),
            };
            match broken {
                None => ledger.pass(call.number),
                Some(broken) => {
                    let finding = ledger.finding(call.number, broken).grouped(name);
                    ledger.report(finding.graded(call.provenance));
                }
            }
        }
    }
}
