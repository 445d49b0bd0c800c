//! # Every row has its namevars, and no two have the same
//!
//! ## What it requires
//! Every row of `get` has a value for every namevar. No two rows have the same values for them.
//!
//! ## Why
//! The runtime finds a resource by its namevars. It never finds a row without them. Of two rows with
//! the same namevars, it uses only the first; puppet-resource_api 2.0 uses the last for later resources.
//!
//! ## How it is judged
//! - Judged: the rows of each call.
//! - Lowered to should: two rows where the provider's file has the entry twice.
//! - Not judged: two rows of a resource whose change was made once more.
//!
//! ## Example
//! Two rows with `name: 'a'`.
//!
//! ## How to fix
//! Set every namevar in each row, and list each resource once.
//!
//! ## Source
//! Resource API specification, "Resource implementation". puppet-resource_api 1.8.16 notices a
//! missing namevar only in `puppet resource`.

use crate::phase;
use crate::purpose;
use crate::reads::READS;
use crate::rows::{Read, named, reads};
use crate::session::Session;
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Check, Group, Ledger, Level, Relation, RunPlace, Variant};
use stickler_reading::foreign::OWN_ENTRY_TWICE;
use stickler_transcript::Event;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(READS, check),
    Check::Group(&[Relation::FOREIGN], of_a_file),
];

/// A namevar is missing.
const MISSING: Variant = Variant::new("missing");
/// Two rows are the same resource.
const TWICE: Variant = Variant::new("twice");

fn check(session: &Session, ledger: &mut Ledger) {
    let all: Vec<Read<'_>> = reads(session).collect();
    for read in &all {
        // No runtime makes what is there already: what comes of it is listed as it is.
        let repeated = session
            .asked(phase::SET)
            .filter(|set| set.key.is(purpose::REPEATED) && set.number < read.call.number);
        let repeated = repeated.flat_map(|set| {
            let next = all.iter().find(|next| next.call.number > set.number);
            let names = changes(set).into_iter().map(|(name, _)| name);
            names.filter(move |name| next.is_some_and(|next| lists_twice(next, name)))
        });
        let repeated: Vec<Value> = repeated.collect();
        let namevars = read.definition.namevars();
        let mut seen: Vec<Vec<&Value>> = Vec::new();
        let mut broken = None;
        for row in read.rows().iter().filter(|row| row.as_hash().is_some()) {
            let values = namevars
                .iter()
                .map(|name| row.get(name).filter(|value| !value.is_nil()));
            let Some(values) = values.collect::<Option<Vec<_>>>() else {
                let missing = namevars
                    .iter()
                    .find(|name| row.get(name).is_none_or(Value::is_nil));
                let missing = missing.copied().unwrap_or_default();
                broken = Some(MISSING.says(format!("a row has no `{missing}`: {}", row.inspect())));
                break;
            };
            if seen.contains(&values) && !is_one_of(&repeated, &namevars, row) {
                let of = named(read.definition, row);
                broken = Some(TWICE.says(format!("two rows are {of}")));
                break;
            }
            seen.push(values);
        }
        if broken.is_some() || !read.rows().is_empty() {
            ledger.check(read.call.number, read.call.provenance, broken);
        }
    }
}

/// What a file has twice is still one resource.
fn of_a_file(group: &Group<'_, Session>, ledger: &mut Ledger) {
    if group
        .baseline()
        .is_some_and(|(_, usual)| two_of_a_name(usual).is_some())
    {
        return;
    }
    for (role, at, session) in group.variants() {
        // What a stand-in keeps is no file of the provider's.
        if role.name() != OWN_ENTRY_TWICE || drifted(session).any(|path| session.is_foreign(path)) {
            continue;
        }
        let Some((read, name)) = two_of_a_name(session) else {
            if let Some(read) = reads(session).find(|read| !read.rows().is_empty()) {
                ledger.passes.push(RunPlace::at(at, read.call.number));
            }
            continue;
        };
        let name = name.inspect();
        let defect = TWICE.says(format!(
            "its file has {name} twice, and two rows are {name}"
        ));
        let finding = ledger.finding_at(RunPlace::at(at, read.call.number), defect);
        ledger.report(finding.at_most(Level::Should).graded(read.call.provenance));
    }
}

/// The files that the harness wrote.
fn drifted(session: &Session) -> impl Iterator<Item = &[u8]> {
    let events = session.transcript.events.iter();
    events.filter_map(|event| match event {
        Event::Drifted { drift, .. } => drift.path().map(|path| &path[..]),
        _ => None,
    })
}

/// The first call of `get` that lists a resource twice, and the name of that.
fn two_of_a_name(session: &Session) -> Option<(Read<'_>, Value)> {
    reads(session).find_map(|read| {
        let mut names = read.rows().iter().filter_map(|row| name(&read, row));
        let twice = names.find(|name| lists_twice(&read, name))?;
        Some((read, twice))
    })
}

/// The name of a row as changes have it.
fn name(read: &Read<'_>, row: &Value) -> Option<Value> {
    match read.definition.namevars()[..] {
        [only] => row.get(only).filter(|value| !value.is_nil()).cloned(),
        ref several => {
            let parts = several
                .iter()
                .map(|key| Some((*key, row.get(key)?.clone())));
            Some(Value::hash(parts.collect::<Option<Vec<_>>>()?))
        }
    }
}

/// Are there two rows of a name?
fn lists_twice(read: &Read<'_>, name: &Value) -> bool {
    let namevars = read.definition.namevars();
    let names = std::slice::from_ref(name);
    let own = read.rows().iter();
    own.filter(|row| is_one_of(names, &namevars, row)).count() > 1
}

/// Is a row that of one of some names?
fn is_one_of(names: &[Value], namevars: &[&str], row: &Value) -> bool {
    names.iter().any(|name| match name {
        Value::Hash(_) => namevars.iter().all(|key| row.get(key) == name.get(key)),
        name => namevars.first().and_then(|key| row.get(key)) == Some(name),
    })
}
