//! # After `set`, `get` shows the target
//!
//! ## What it requires
//! After `set` returns, `get` shows the target value of every property. Stickler compares values as
//! the runtime does. A property that can be set at creation can be changed later, unless it is init_only.
//!
//! ## Why
//! Otherwise the resource changes in every run, or reports a change that did not happen.
//!
//! ## How it is judged
//! - Judged: the call of `get` right after each `set` that returned and marked no resource as
//!   failed.
//! - Judged: properties with values of their types. If every other value of a property is refused
//!   for a resource that is there, and one of them is accepted for a new resource, the rule fails.
//! - Not judged: difficult texts (RA803), several resources at once (RA506), Sensitive values,
//!   parameters, properties of which `insync?` answers more than nil.
//!
//! ## Example
//! `set` writes the port, but `get` reads it from another file; `update` always raises.
//!
//! ## How to fix
//! Let `get` read what `set` writes. Declare what cannot be changed as `behaviour: :init_only`.
//!
//! ## Source
//! Resource API specification, "Resource implementation". puppet-resource_api never reads again.

use crate::absent::is_absent;
use crate::after::{After, afters};
use crate::backends::commands_fail;
use crate::reads::UNENDED;
use crate::relation;
use crate::releases::Releases;
use crate::rows::is_difficult;
use crate::session::{Call, Session};
use crate::told::changes;
use puppet_types::{Behaviour, Definition, Value};
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(UNENDED, check),
    Check::Session(&[relation::VALUES], refusals),
];

/// A property can only be set at creation.
const FIXED: Variant = Variant::new("refuses-updates");
/// One refusal may have reasons of its own.
const TELLING: usize = 2;

fn check(session: &Session, ledger: &mut Ledger) {
    // RA511 judges what comes of commands that fail, and of files that the harness changes.
    if commands_fail(session) || session.is_spoilt() {
        return;
    }
    for After { set, wrong, .. } in afters(session) {
        // What other rules judge: calls that fail, other texts, several changes at once.
        let is_other = is_difficult(session, set) || changes(set).len() > 1;
        if is_other || set.failed_write().is_some() {
            continue;
        }
        let is_fixed = |name: &String| {
            let own = session.definition(set).and_then(|own| own.attribute(name));
            own.is_some_and(|one| one.behaviour == Behaviour::InitOnly)
        };
        let broken = wrong.as_ref().map(|wrong| {
            // The next run would change what is only set at creation.
            let strictly = match wrong.properties.iter().any(is_fixed) {
                true => Releases::of(session).strictly(),
                false => "",
            };
            format!("{}{strictly}", wrong.message)
        });
        let finding = match broken {
            None => {
                ledger.pass(set.number);
                continue;
            }
            Some(message) => ledger.finding(set.number, message),
        };
        let group = wrong
            .map(|wrong| wrong.properties.join(" "))
            .unwrap_or_default();
        ledger.report(finding.grouped(group).graded(set.provenance));
    }
}

/// What a session shows of the values of a property.
#[derive(Default)]
struct Tried<'s> {
    /// Updates to these values were refused.
    refused: Vec<(&'s Call, Value)>,
    /// An update was accepted.
    updated: bool,
    /// New resources got these values.
    created: Vec<Value>,
}

impl Tried<'_> {
    /// Is every update refused, and one of the values accepted for a new resource?
    fn is_fixed(&self) -> bool {
        let refused = &self.refused;
        !self.updated
            && refused
                .iter()
                .any(|(_, value)| self.created.contains(value))
    }
}

/// An update that refuses a value is only sound if a creation refuses it, too.
fn refusals(session: &Session, ledger: &mut Ledger) {
    if session.is_disturbed() || commands_fail(session) {
        return;
    }
    let mut all: BTreeMap<(String, String), Tried<'_>> = BTreeMap::new();
    let mut refused = Vec::new();
    for (set, _) in session.calls(crate::phase::SET) {
        let own = changes(set);
        let (Some(definition), [(_, change)]) = (session.definition(set), &own[..]) else {
            continue;
        };
        let (Some(is), Some(should)) = (change.get("is"), change.get("should")) else {
            continue;
        };
        let lacks = set.failure().is_some_and(|why| why.lack().is_some());
        if is_absent(should) || set.failed_write().is_some() || lacks {
            continue;
        }
        let kind = definition.name.clone().unwrap_or_default();
        let differing = differing(definition, is, should);
        if set.fails() {
            if !is_absent(is) {
                refused.push((kind, set, differing));
            }
            continue;
        }
        for (name, value) in differing {
            let tried = all.entry((kind.clone(), name)).or_default();
            match is_absent(is) {
                true => tried.created.push(value),
                false => tried.updated = true,
            }
        }
    }
    for (kind, set, mut differing) in refused {
        // What is accepted at other times was not the reason.
        differing.retain(|(name, _)| {
            let own = all.get(&(kind.clone(), name.clone()));
            own.is_none_or(|own| !own.updated)
        });
        if differing.is_empty() {
            ledger.pass(set.number);
        }
        if let [(name, value)] = &differing[..] {
            let tried = all.entry((kind, name.clone())).or_default();
            if !tried.refused.iter().any(|(_, known)| known == value) {
                tried.refused.push((set, value.clone()));
            }
        }
    }
    // If nothing can be updated, one value of each property suffices.
    let never = all.values().all(|one| !one.updated);
    let count: usize = all.values().map(|one| one.refused.len()).sum();
    for ((_, name), one) in &all {
        let Some((set, _)) = one.refused.first() else {
            continue;
        };
        let enough = one.refused.len() >= TELLING || never && count >= TELLING;
        if !one.is_fixed() || !enough {
            ledger.pass(set.number);
            continue;
        }
        let why = set.why_it_fails().unwrap_or_default();
        let defect = FIXED.says(format!(
            "no other value of `{name}` is accepted for a resource that is there, but for a new one: {why}"
        ));
        let finding = ledger.finding(set.number, defect).grouped(name.clone());
        ledger.report(finding.graded(set.provenance));
    }
}

/// The properties that a change sets to other values, with these values.
fn differing(definition: &Definition, is: &Value, should: &Value) -> Vec<(String, Value)> {
    let all = definition.attributes.iter();
    let properties = all.filter(|one| one.behaviour == Behaviour::Property && one.name != "ensure");
    let set = properties.filter_map(|one| {
        let value = should.get(&one.name).filter(|value| !value.is_nil())?;
        (is.get(&one.name) != Some(value)).then(|| (one.name.clone(), value.clone()))
    });
    set.collect()
}
