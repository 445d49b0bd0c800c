//! # A provider keeps no state outside its instance
//!
//! ## What it requires
//! A new instance of the provider sees the current system and sets resources in it, whatever other
//! instances have read or done.
//!
//! ## Why
//! The agent runs for weeks, and constructs an instance for each run. The system changes between
//! runs.
//!
//! ## How it is judged
//! - Judged: the rows of a new instance, after another instance has set a resource, or after files
//!   were changed from outside, or after a `[[service]]` was down for a while; whether the new instance
//!   sets the resource again then. A fresh process shows the expected behaviour.
//! - Judged: a resource that is made, removed and made again: whether it now has a value that only another
//!   resource was given in between.
//! - Not judged: values of read_only attributes.
//!
//! ## Example
//! `@@rows ||= read_all` in `get`; `return true if @@done[name]` in `insync?`.
//!
//! ## How to fix
//! Keep such values in instance variables: `@rows ||= read_all`, and clear them in `set`.
//!
//! ## Source
//! Resource API specification, "Runtime environment".

use crate::absent::is_absent;
use crate::after::{One, after_each, refreshed};
use crate::phase;
use crate::purpose;
use crate::relation;
use crate::rows::{lasting, reads};
use crate::session::Session;
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Relation, Variant, View as _};
use stickler_transcript::{Key, Purpose, Variation};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(
        &[relation::BESIDE, relation::INSTANCES, Relation::UNDONE],
        check,
    ),
    Check::Session(&[relation::TARGETS], anew),
];

/// It sees what is no longer there.
const SEES: Variant = Variant::new("sees");
/// It fails since it has failed.
const FAILS: Variant = Variant::new("fails");
/// It takes the resource for done.
const KEEPS: Variant = Variant::new("keeps");

/// It gives a resource what another was given.
const HANDS_ON: Variant = Variant::new("hands-on");

fn check(session: &Session, ledger: &mut Ledger) {
    refreshed_only(session, ledger);
    mended(session, ledger);
    handed_on(session, ledger);
    anew(session, ledger);
}

/// After a `set`, a new instance does not show the target, and a fresh process does.
fn refreshed_only(session: &Session, ledger: &mut Ledger) {
    for (set, _) in session.calls(phase::SET) {
        let Some((fresh, is_there)) = refreshed(session, set) else {
            continue;
        };
        let reads = session.calls(phase::GET);
        let mut reads = reads.filter(|(read, _)| {
            (set.number..fresh.number).contains(&read.number) && read.process == set.process
        });
        if let (Some((read, _)), true) = (reads.next(), is_there) {
            let broken = SEES.says(
                "after a `set`, a new instance returns what an earlier one has seen, and a fresh process the target",
            );
            ledger.check(read.number, read.provenance, Some(broken));
        }
    }
}

/// What a new instance sees, and a fresh process.
fn anew(session: &Session, ledger: &mut Ledger) {
    let all: Vec<_> = reads(session).collect();
    let keyed = |purpose: Purpose| all.iter().find(|read| read.call.key.is(purpose));
    if let (Some(anew), Some(fresh)) = (keyed(Purpose::ANEW), keyed(purpose::FRESH)) {
        let broken = (lasting(anew) != lasting(fresh))
            .then(|| SEES.says("a new instance returns what an earlier one has seen"));
        ledger.check(anew.call.number, anew.call.provenance, broken);
    }
    if let Some(fresh) = keyed(purpose::FRESH) {
        let mut gets = session.calls(phase::GET);
        if let Some((anew, answer)) = gets.find(|(call, _)| call.key.is(Purpose::ANEW))
            && let Some(failure) = answer.failure().filter(|one| one.lack().is_none())
        {
            let broken = FAILS.says(format!(
                "a fresh process returns {} rows, but where it failed before, a new instance raises {}",
                fresh.rows().len(),
                failure.in_words()
            ));
            ledger.check(anew.number, anew.provenance, Some(broken));
        }
    }
}

/// The same resource is made twice, and another one in between.
fn handed_on(session: &Session, ledger: &mut Ledger) {
    let all = after_each(session);
    let should = |one: &One<'_>| one.change.get("should").cloned();
    for (at, second) in all.iter().enumerate() {
        let is_made = |one: &One<'_>| one.change.get("is").is_none_or(is_absent);
        let mut earlier = all[..at].iter().enumerate();
        let first = earlier.find(|(_, first)| {
            is_made(first)
                && first.name == second.name
                && should(first) == should(second)
                && session.is_same_provider(first.set, second.set)
        });
        let (Some((start, first)), true) = (first, is_made(second)) else {
            continue;
        };
        let (Some(before), Some(now)) = (&first.row, &second.row) else {
            continue;
        };
        let others = all[start..at]
            .iter()
            .filter(|other| other.name != second.name);
        let others: Vec<Value> = others.filter_map(should).collect();
        let theirs = second.definition.attributes.iter().find_map(|attribute| {
            let name = &attribute.name;
            let value = now.get(name).filter(|value| !value.is_nil())?;
            let is_new = before.get(name) != Some(value)
                && should(second).is_some_and(|own| own.get(name).is_none_or(Value::is_nil));
            let mut known = others.iter().map(|other| other.get(name));
            (is_new && known.any(|known| known == Some(value))).then(|| {
                HANDS_ON.says(format!(
                    "made once more, {} has the `{name}` of another resource, {}",
                    second.name.inspect(),
                    value.inspect()
                ))
            })
        });
        if !others.is_empty() {
            ledger.check(second.set.number, second.set.provenance, theirs);
        }
    }
}

/// The resource is undone from outside, twice: before a new instance, and before a fresh process brings it
/// about.
fn mended(session: &Session, ledger: &mut Ledger) {
    let items = session.case().items.iter();
    let undone = items.filter(|item| item.variation == Some(Variation::Undone));
    let keys: Vec<Key> = undone
        .map(|item| Purpose::EVALUATE.of(&item.label))
        .collect();
    let [again, fresh] = &keys[..] else {
        return;
    };
    let sets_again = session.exchange(fresh).is_some_and(|set| !set.fails());
    let read = session.exchange(&again.part(purpose::READ));
    let read = read.filter(|read| !read.fails() && read.answer.is_some());
    let (true, Some(read)) = (sets_again, read) else {
        return;
    };
    let broken = session.exchange(again).is_none().then(|| {
        KEEPS.says("after it was undone from outside, a fresh process sets the resource again, but a new instance does not")
    });
    ledger.check(read.number, read.provenance, broken);
}
