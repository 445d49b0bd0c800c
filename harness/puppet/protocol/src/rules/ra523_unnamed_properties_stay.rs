//! # An update leaves properties that it does not name unchanged
//!
//! ## What it requires
//! If a manifest names some properties of a resource that is there, `set` changes these, and the others keep
//! their values.
//!
//! ## Why
//! A manifest manages what it names. Whoever set the rest loses it, and no report shows that.
//!
//! ## How it is judged
//! - Judged: properties that an evaluation has set and `get` has shown, after an update that does not name them. The
//!   same update with those properties shows that the resource can have both.
//! - Not judged: properties that follow from the changed ones, such as a checksum: an update that names both does not
//!   reach both; `ensure`, parameters, read_only and init_only attributes; attributes with a default, which
//!   each manifest names.
//!
//! ## Example
//! `update` writes the whole entry from `should`: without `comment` in the manifest, the comment is gone.
//!
//! ## How to fix
//! Start from what is there: `entry = read(name).merge(should)`. Change only attributes for which `should.key?(…)`.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::absent::is_absent;
use crate::after::{One, afters};
use crate::backends::commands_fail;
use crate::relation;
use crate::rows::is_difficult;
use crate::session::Session;
use puppet_types::{Attribute, Behaviour, Value};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::PARTIAL], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    if session.is_disturbed() || commands_fail(session) {
        return;
    }
    let all = afters(session).into_iter();
    let all: Vec<One<'_>> = all
        .filter(|after| after.each.len() == 1 && !is_difficult(session, after.set))
        .flat_map(|after| after.each)
        .collect();
    for (at, update) in all.iter().enumerate() {
        let (Some(is), Some(should), Some(row)) = (
            state(update, "is"),
            state(update, "should"),
            update.row.as_ref(),
        ) else {
            continue;
        };
        if is_absent(row) {
            continue;
        }
        let changed = changed(update, is, should);
        for property in update
            .definition
            .attributes
            .iter()
            .filter(|one| is_kept(one))
        {
            let name = &property.name;
            let value = is.get(name).filter(|value| !value.is_nil());
            let (Some(value), true) = (value, given(should, name).is_none()) else {
                continue;
            };
            // What nobody has set may follow from anything.
            let mut earlier = all[..at].iter();
            let is_set = earlier.any(|one| {
                one.name == update.name
                    && state(one, "should").and_then(|own| given(own, name)) == Some(value)
            });
            if !is_set || changed.is_empty() {
                continue;
            }
            let now = given(row, name);
            if now == Some(value) {
                ledger.pass(update.set.number);
                continue;
            }
            // Both can be had at once, if both are named.
            let Some(both) = all.iter().find(|one| has_both(one, update, name, &changed)) else {
                continue;
            };
            let message = format!(
                "an update of {} that names {}, and what has to be given, turns its `{name}` from {} into {}",
                update.name.inspect(),
                changed
                    .iter()
                    .map(|(name, _)| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", "),
                value.inspect(),
                now.map_or_else(|| "nothing".to_owned(), Value::inspect)
            );
            let also = ledger.place(both.set.number);
            let finding = ledger
                .finding(update.set.number, message)
                .expected("the value that it has")
                .grouped(&**name)
                .graded(update.set.provenance)
                .also(also);
            ledger.report(finding);
        }
    }
}

/// A state in a change, of a resource that is there or is to be.
fn state<'s>(one: &'s One<'_>, key: &str) -> Option<&'s Value> {
    let state = one.change.get(key).filter(|state| !state.is_nil())?;
    (!is_absent(state)).then_some(state)
}

fn given<'v>(state: &'v Value, name: &str) -> Option<&'v Value> {
    state.get(name).filter(|value| !value.is_nil())
}

/// Is it a property that nothing but a manifest changes?
fn is_kept(attribute: &Attribute) -> bool {
    attribute.behaviour == Behaviour::Property && attribute.name != "ensure"
}

/// The properties that an update is to change, with their values.
fn changed<'s>(update: &One<'_>, is: &Value, should: &'s Value) -> Vec<(String, &'s Value)> {
    let properties = update.definition.attributes.iter();
    let properties = properties.filter(|one| is_kept(one));
    let changed = properties.filter_map(|one| {
        let wanted = given(should, &one.name)?;
        (given(is, &one.name) != Some(wanted)).then(|| (one.name.clone(), wanted))
    });
    changed.collect()
}

/// Did a change name a property as well as those that an update changed, and reach all of them?
fn has_both(one: &One<'_>, update: &One<'_>, name: &str, changed: &[(String, &Value)]) -> bool {
    let (Some(should), Some(row)) = (state(one, "should"), one.row.as_ref()) else {
        return false;
    };
    let reaches = |name: &str, value: &Value| {
        given(should, name) == Some(value) && given(row, name) == Some(value)
    };
    one.name == update.name
        && given(should, name).is_some_and(|value| given(row, name) == Some(value))
        && changed.iter().all(|(name, value)| reaches(name, value))
}
