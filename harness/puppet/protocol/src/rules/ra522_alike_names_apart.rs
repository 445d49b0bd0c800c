//! # Resources with similar names leave each other alone
//!
//! ## What it requires
//! `set` changes only the resource that has exactly the name of the change: not one whose name begins or ends like it,
//! is the same in another section, or differs only in upper and lower case.
//!
//! ## Why
//! A manifest with both resources then loses one, or changes in every run.
//!
//! ## How it is judged
//! - Judged: the rows of an example while a resource with a similar name is made, changed and removed, and the rows of
//!   that resource while the example is removed and made. A resource with entirely different letters is the
//!   control: if it does harm too, RA510 says so.
//! - Judged: resources with similar names that `get` takes for the example, so that they are never made.
//! - Lowered to should: names that differ in case alone.
//! - Not judged: names that `canonicalize` makes equal; names that the type or the provider refuses.
//!
//! ## Example
//! `lines.reject { |line| line.start_with?(name) }` removes `web2`, too, when `web` is removed.
//!
//! ## How to fix
//! Compare whole names: `key == name`, or `/\A#{Regexp.escape(name)}\s*=/`. If the system takes two names for one, let
//! `canonicalize` write both alike.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::backends::commands_fail;
use crate::near::{Likeness, likeness};
use crate::others::{asides, between, is_named};
use crate::purpose;
use crate::relation;
use crate::rows::{Read, evaluations, reads};
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_judge::{Check, Group, Ledger, Level, Role, RunPlace, Variant};
use stickler_transcript::{Fate, Purpose};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(&[relation::BESIDE], among_others),
    Check::Group(&[relation::NEIGHBOURS], beside),
];

/// Another one is changed or removed.
const HARMS: Variant = Variant::new("harms");
/// Another one is taken for it.
const TAKES: Variant = Variant::new("takes-for-done");

/// Resources with similar names, and one with other letters, which stays.
fn among_others(session: &Session, ledger: &mut Ledger) {
    if commands_fail(session) {
        return;
    }
    for aside in asides(session) {
        let is_far = |row: &Value| aside.likeness(row) == Likeness::Far;
        let is_alike = |row: &Value| !is_far(row);
        if !aside.kept.iter().any(is_far) {
            continue;
        }
        let Some(first) = aside.differences.first() else {
            if aside.kept.iter().any(is_alike) {
                ledger.pass(aside.set.number);
            }
            continue;
        };
        let mut lost = aside.differences.iter();
        if lost.all(|one| !one.is_new && is_alike(&one.row)) {
            let defect = HARMS.says(first.in_words.clone());
            let finding = ledger.finding(aside.set.number, defect);
            ledger.report(finding.graded(aside.set.provenance));
        }
    }
}

/// The example beside a resource with a similar name, and beside one with other letters.
fn beside(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((control_at, control)) = group.role(Role::Beside).next() else {
        return;
    };
    // A finding needs them, too, when it is tried again.
    let needed: Vec<usize> = group.baseline().map(|(at, _)| at).into_iter().collect();
    let needed = [&needed[..], &[control_at]].concat();
    let usual = between(control, &looks(control));
    // What a resource with other letters does as well has another reason.
    if usual.is_empty() || usual.iter().any(|one| !one.differences.is_empty()) {
        return;
    }
    let similar = group.variants().filter(|(role, ..)| !role.is_reference());
    for (_, index, session) in similar.filter(|(role, ..)| **role != Role::Beside) {
        for aside in between(session, &looks(session)) {
            let place = RunPlace::at(index, aside.set.number);
            let mut lost = aside.differences.iter().filter(|one| !one.is_new);
            let Some(first) = lost.next() else {
                // Beside nothing, nobody is harmed.
                if !aside.kept.is_empty() {
                    ledger.passes.push(place);
                }
                continue;
            };
            let names: Vec<String> = aside.names.iter().map(Value::inspect).collect();
            let defect = HARMS.says(format!(
                "{}: `set` was called for {}",
                first.in_words,
                names.join(", ")
            ));
            let mut finding = ledger.finding_at(place, defect);
            finding.sessions.extend(&needed);
            let finding = match aside.likeness(&first.row) {
                Likeness::Cased => finding.at_most(Level::Should),
                Likeness::Near | Likeness::Far => finding,
            };
            ledger.report(finding.graded(aside.set.provenance));
        }
        if let Some((read, name, row)) = taken(session) {
            let message = format!(
                "{} is taken for done, although there is only {}",
                name.inspect(),
                row.inspect()
            );
            let place = RunPlace::at(index, read.number);
            let mut finding = ledger.finding_at(place, TAKES.says(message));
            finding.sessions.extend(&needed);
            ledger.report(finding.graded(read.provenance));
        }
    }
}

/// The reads that plans made to see what became of others.
fn looks(session: &Session) -> Vec<Read<'_>> {
    let all = reads(session);
    let all = all.filter(|read| read.call.key.part_of(purpose::BESIDES).is_some());
    all.collect()
}

/// A resource that an evaluation found done, although the rows before it have only the example, whose name is
/// similar: the call of `get`, the name, and that of the example.
fn taken(session: &Session) -> Option<(&Call, Value, Value)> {
    let looks = looks(session);
    evaluations(session).into_iter().find_map(|(key, _, fate)| {
        let read = session.exchange(&key.part(purpose::READ))?;
        let names = read.param("names")?;
        let [name] = names.as_array()? else {
            return None;
        };
        let is_before = |look: &&Read<'_>| {
            look.call.number < read.number && look.call.param("names").is_none_or(|it| it.is_nil())
        };
        let look = looks.iter().rfind(is_before)?;
        let definition = look.definition;
        let rows = look.rows();
        let is_there = rows.iter().any(|row| is_named(definition, row, name));
        let is_first = fate == Fate::Unchanged && key.is(Purpose::EVALUATE);
        let is_near = |row: &&Value| likeness(definition, name, row) == Likeness::Near;
        let row = rows.iter().find(is_near)?;
        let of = definition.namevars();
        let other = of.first().and_then(|key| row.get(key))?;
        (is_first && !is_there).then(|| (read, name.clone(), other.clone()))
    })
}
