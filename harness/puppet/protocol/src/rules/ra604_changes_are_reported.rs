//! # `set` reports the changes that it made
//!
//! ## What it requires
//! `set` reports each resource that it changes: as created, as updated, or as deleted. `processing`
//! and `processed` are accepted for all three. `set` does not report a failed change as done. Values
//! in a message are those before and after the change, in this order.
//!
//! ## Why
//! Users read in reports what happened to the system.
//!
//! ## How it is judged
//! - Judged: messages during each `set` that reached the target of a resource, compared with the
//!   state before; actions that a failing `set` reports as done, if `get` shows that they were not;
//!   further actions of the other kind; values of `processing`, `processed` and
//!   `attribute_changed` that are swapped; `attribute_changed` for an attribute that has its value already, or
//!   with values that it neither had nor was to have.
//! - Not judged: whether an unlisted resource of a type without `ensure` is created or updated; changes
//!   without `:is`; calls that find nothing to do; a removal followed by a creation; which action is
//!   reported where a property other than `ensure` is `Present` or `Absent`.
//!
//! ## Example
//! `context.updating(name)` around the creation of a resource; `context.created(name)` before it is
//! tried.
//!
//! ## How to fix
//! Write `context.creating(name) { … }`, or let SimpleProvider do it.
//!
//! ## Source
//! Resource API specification, "Logging and reporting".

use crate::absent::is_absent;
use crate::after::{One, after_each, all_afters, holds_secrets};
use crate::phase;
use crate::purpose;
use crate::reads::READS;
use crate::session::Session;
use crate::told::{Kind, about, changes, is_same, untitled};
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_reading::words::telling;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(READS, check),
    Check::Session(&[Relation::WRITE], failed),
    Check::Session(READS, swapped),
    Check::Session(READS, invented),
];

/// Nothing is reported.
const SILENT: Variant = Variant::new("silent");
/// Something else is reported.
const OTHER: Variant = Variant::new("other");

/// The values of a message are in the wrong order.
const SWAPPED: Variant = Variant::new("swapped");
/// Something is reported that did not happen.
const CLAIMED: Variant = Variant::new("claimed");
/// A change of an attribute is reported that there was none of.
const INVENTED: Variant = Variant::new("invented");

/// How an update is reported.
const UPDATES: [&str; 2] = ["updating", "updated"];

/// How a change is reported: while it is made, and once it is. Nothing, if there was nothing and shall be
/// nothing.
fn verbs(is: Option<&Value>, should: Option<&Value>) -> Option<[&'static str; 2]> {
    match (is_there(is), is_there(should)) {
        (false, true) => Some(["creating", "created"]),
        (true, true) => Some(UPDATES),
        (true, false) => Some(["deleting", "deleted"]),
        (false, false) => None,
    }
}

/// What fails is no success.
fn failed(session: &Session, ledger: &mut Ledger) {
    let all = all_afters(session).into_iter();
    for one in all.flat_map(|after| after.each) {
        let change = (one.change.get("is"), one.change.get("should"));
        let (Some(wrong), Some(verbs), true) =
            (&one.wrong, verbs(change.0, change.1), one.set.fails())
        else {
            continue;
        };
        let told = about(one.set, &one.name);
        let mut done = told
            .iter()
            .filter(|told| matches!(told.kind, Kind::Done | Kind::Action));
        let claimed =
            done.find(|told| verbs.contains(&&*told.event.name) || told.event.name == "processed");
        let broken = claimed.map(|told| {
            CLAIMED.says(format!(
                "`{}` is reported, and `set` fails: {}",
                told.event.name, wrong.message
            ))
        });
        ledger.check(one.set.number, one.set.provenance, broken);
    }
}

fn check(session: &Session, ledger: &mut Ledger) {
    for one in after_each(session)
        .into_iter()
        // Of a change that is made once more, nobody knows what happens.
        .filter(|one| one.wrong.is_none() && !one.set.key.is(purpose::REPEATED))
    {
        let Some(is) = one.change.get("is") else {
            continue;
        };
        let should = one.change.get("should");
        let Some(verbs) = verbs(Some(is), should) else {
            continue;
        };
        // Whether a change without `:should` removes is RA503's business.
        let is_whole = should.is_some_and(|should| !should.is_nil());
        if !is_whole && is_there(one.row.as_ref()) {
            continue;
        }
        if found_nothing_to_do(&one, is) {
            continue;
        }
        let told = about(one.set, &one.name);
        let mut actions = told
            .iter()
            .filter(|one| matches!(one.kind, Kind::Open | Kind::Action))
            .map(|one| &*one.event.name);
        let all: Vec<&str> = actions.by_ref().collect();
        let general = ["processing", "processed"];
        let is_own = has_own_presence(&one, is);
        // Without `ensure`, nothing says whether a resource that is not listed is there.
        let verbs = match one.definition.is_ensurable() || verbs[1] != "created" {
            false if all.iter().any(|name| UPDATES.contains(name)) => UPDATES,
            _ => verbs,
        };
        let fits = |name: &&str| is_own || verbs.contains(name) || general.contains(name);
        let broken = if all.is_empty() {
            Some(SILENT.says(format!(
                "{} was changed, and `set` does not report it",
                one.name.inspect()
            )))
        } else if all.iter().any(fits) {
            let other = impossible(&verbs, &all).filter(|_| !is_own);
            other.map(|other| {
                OTHER.says(format!(
                    "{} was {}, and `set` reports `{other}`, too",
                    one.name.inspect(),
                    verbs[1]
                ))
            })
        } else {
            Some(OTHER.says(format!(
                "{} was {}, and `set` reports `{}`",
                one.name.inspect(),
                verbs[1],
                all[0]
            )))
        };
        ledger.check(one.set.number, one.set.provenance, broken);
    }
}

/// What is told beside the right action, and cannot have happened. A resource may be set up once it is
/// made, and switched off before it is removed; or it is made anew.
fn impossible<'n>(verbs: &[&str; 2], told: &[&'n str]) -> Option<&'n str> {
    let is_removal = |name: &&'n str| ["deleting", "deleted"].contains(name);
    let is_creation = |name: &&'n str| ["creating", "created"].contains(name);
    let is_made = |name: &&'n str| is_creation(name) || verbs.contains(name);
    let (removal, made) = (
        told.iter().position(is_removal),
        told.iter().rposition(is_made),
    );
    let is_anew = removal
        .zip(made)
        .is_some_and(|(removal, made)| removal < made);
    if is_anew && verbs[1] != "deleted" {
        return None;
    }
    let mut others = told.iter().filter(|name| !verbs.contains(name));
    others
        .find(|name| is_removal(name) || is_creation(name))
        .copied()
}

/// Does a property other than `ensure` say whether there is a resource? Then it alone tells creations from updates.
fn has_own_presence(one: &One<'_>, is: &Value) -> bool {
    let states = [Some(is), one.change.get("should")];
    let words = |state: &Value| {
        let mut members = state.as_hash().unwrap_or_default().iter();
        members.any(|(_, value)| {
            let word = value.to_text();
            word.eq_ignore_ascii_case("present") || word.eq_ignore_ascii_case("absent")
        })
    };
    !one.definition.is_ensurable() && states.into_iter().flatten().any(words)
}

/// Was the resource as it should be already? Its row may have more attributes than its target.
fn found_nothing_to_do(one: &One<'_>, is: &Value) -> bool {
    let is_unchanged = one.row.as_ref() == Some(is);
    let has_no_effect = one.set.effects.as_ref().is_none_or(Vec::is_empty);
    one.change.get("should") == Some(is) || is_unchanged && has_no_effect
}

/// Does a state say that the resource is there?
fn is_there(state: Option<&Value>) -> bool {
    state.is_some_and(|state| !is_absent(state))
}

/// The values of a message are those before and after the change.
fn swapped(session: &Session, ledger: &mut Ledger) {
    for (call, _) in session.calls(phase::SET) {
        for (name, change) in changes(call) {
            let within = untitled(call)
                .into_iter()
                .filter(|(block, _)| block.as_ref().is_some_and(|title| is_same(title, &name)));
            for (_, event) in within {
                let [attribute, is, should, ..] = &event.arguments[..] else {
                    continue;
                };
                let attribute = attribute.to_text();
                let of = |key| change.get(key).and_then(|state| state.get(&attribute));
                let (before, after) = (of("is"), of("should"));
                if before == after || before.is_none() || after.is_none() {
                    continue;
                }
                let broken = ((Some(is), Some(should)) == (after, before)).then(|| {
                    SWAPPED.says(format!(
                        "`{}` in the block of {} has the new value first and the old one last",
                        event.name,
                        name.inspect()
                    ))
                });
                ledger.check(call.number, call.provenance, broken);
            }
            for told in about(call, &name) {
                let (before, after, given) = match (told.kind, &told.event.arguments[..]) {
                    (Kind::Attribute, [_, attribute, is, should, ..]) => {
                        let attribute = attribute.to_text();
                        let of = |key| change.get(key).and_then(|state| state.get(&attribute));
                        (of("is"), of("should"), (is, should))
                    }
                    (Kind::Open | Kind::Action, [_, is, should, ..]) => {
                        (change.get("is"), change.get("should"), (is, should))
                    }
                    _ => continue,
                };
                let (Some(before), Some(after)) = (before, after) else {
                    continue;
                };
                if before == after {
                    continue;
                }
                let broken = (given == (after, before)).then(|| {
                    SWAPPED.says(format!(
                        "`{}` of {} has the new value first and the old one last",
                        told.event.name,
                        name.inspect()
                    ))
                });
                ledger.check(call.number, call.provenance, broken);
            }
        }
    }
}

/// Each attribute that is told to have changed had another value, and was to have the new one.
fn invented(session: &Session, ledger: &mut Ledger) {
    // A change that is made once more is sent with an older state.
    let sets = session.calls(phase::SET);
    for (call, _) in sets.filter(|(call, _)| !call.key.is(purpose::REPEATED) && !call.fails()) {
        for (name, change) in changes(call) {
            let within = untitled(call).into_iter().filter_map(|(block, event)| {
                let is_own = block.as_ref().is_some_and(|title| is_same(title, &name));
                is_own.then_some(&event.arguments[..])
            });
            let titled = about(call, &name).into_iter();
            let titled = titled.filter(|told| told.kind == Kind::Attribute);
            let titled = titled.filter_map(|told| told.event.arguments.get(1..));
            for told in within.chain(titled) {
                let Some(attribute) = told.first().map(Value::to_text) else {
                    continue;
                };
                let of = |key| change.get(key).and_then(|state| state.get(&attribute));
                let (Some(before), Some(after)) = (of("is"), of("should")) else {
                    continue;
                };
                if holds_secrets(before) || holds_secrets(after) {
                    continue;
                }
                let defect = untrue(before, after, told);
                let defect = defect.map(|what| {
                    INVENTED.says(format!(
                        "`attribute_changed` says that `{attribute}` of {} {what}",
                        name.inspect()
                    ))
                });
                ledger.check(call.number, call.provenance, defect);
            }
        }
    }
}

/// What is not true of the values with which a change of an attribute is told, as the end of a sentence.
fn untrue(before: &Value, after: &Value, told: &[Value]) -> Option<String> {
    if before == after {
        return Some(format!(
            "has changed, and it was {} before",
            before.inspect()
        ));
    }
    let given = |at: usize| told.get(at).filter(|value| !value.is_nil());
    let is_told_as = |own: &Value, given: &Value| plain(own) == plain(given);
    // Swapped values are told of as such.
    if given(1).is_some_and(|old| is_told_as(after, old)) {
        return None;
    }
    let is_other =
        |own: &Value, given: &Value| is_simple(own) && is_simple(given) && !is_told_as(own, given);
    if let Some(old) = given(1).filter(|old| is_other(before, old)) {
        return Some(format!(
            "was {}, and it was {}",
            old.inspect(),
            before.inspect()
        ));
    }
    let new = given(2).filter(|new| is_other(after, new))?;
    Some(format!(
        "is {} now, and it was to be {}",
        new.inspect(),
        after.inspect()
    ))
}

/// Is it one plain value, which messages tell as it is?
fn is_simple(value: &Value) -> bool {
    matches!(
        value,
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Bool(_)
    ) || value.as_symbol().is_some()
}

/// What is left of a value if signs and case mean nothing.
fn plain(value: &Value) -> String {
    telling(&value.to_text())
}
