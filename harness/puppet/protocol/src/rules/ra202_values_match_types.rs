//! # The values of `get` match their types
//!
//! ## What it requires
//! Every value that `get` returns matches the type of its attribute. Rows have no other keys.
//!
//! ## Why
//! The runtime compares these values with the user's. A value of another type always differs, so
//! the resource changes in each run.
//!
//! ## How it is judged
//! - Judged: each value in each row; keys that are neither an attribute nor `title`; what the provider passes to
//!   `context.type.check_schema`. Also while the commands of `[fake]` write warnings to standard error.
//! - Lowered to should: values of parameters, which say how to set a resource and cannot be read; also
//!   of those that no example gives.
//! - Not judged: values whose type is an alias of another module (RA105); namevars that are nil (RA203).
//!
//! ## Example
//! `port: '80'` where the type is `Integer`.
//!
//! ## How to fix
//! Convert values to the types that the definition declares; leave out attributes whose values are
//! unknown.
//!
//! ## Source
//! Resource API specification, "Resource implementation". Puppet 7 warns; Puppet 8, whose `strict` is
//! `error`, fails the resource and never calls `set`.

use crate::reads::NOISY;
use crate::relation;
use crate::releases::Releases;
use crate::rows::{named, reads};
use crate::session::Session;
use puppet_types::{Behaviour, Match, Value};
use stickler_judge::{Check, Group, Ledger, Level, RunPlace, Variant};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(NOISY, check),
    Check::Group(&[relation::PARAMETERS], with_parameters),
];

/// A value of another type.
const VALUE: Variant = Variant::new("value");
/// A parameter is shown as if it were read.
const PARAMETER: Variant = Variant::new("parameter");
/// The provider itself has the library check what is of another type.
const CHECKED: Variant = Variant::new("checked");
/// A key that is no attribute.
const UNKNOWN: Variant = Variant::new("unknown-attribute");

fn check(session: &Session, ledger: &mut Ledger) {
    checked(session, ledger);
    for read in reads(session) {
        let mut found = false;
        for row in read.rows() {
            for (key, value) in row.as_hash().unwrap_or_default() {
                let Some(name) = key.as_symbol().filter(|name| *name != "title") else {
                    continue;
                };
                // RA203 asks for namevars.
                if value.is_nil() && read.definition.namevars().contains(&name) {
                    continue;
                }
                let Some((variant, broken)) = mismatch(&read, name, value, ledger) else {
                    continue;
                };
                found = true;
                let of = named(read.definition, row);
                let strictly = match variant == PARAMETER {
                    true => "",
                    false => Releases::of(session).strictly(),
                };
                let message = variant.says(format!("{of}: {broken}{strictly}"));
                let finding = ledger
                    .finding(read.call.number, message)
                    .grouped(name)
                    .graded(read.call.provenance);
                ledger.report(match variant == PARAMETER {
                    true => finding.at_most(Level::Should),
                    false => finding,
                });
            }
        }
        if !found && !read.rows().is_empty() {
            ledger.pass(read.call.number);
        }
    }
}

/// What a provider has `context.type.check_schema` look at.
fn checked(session: &Session, ledger: &mut Ledger) {
    let releases = Releases::of(session);
    if !releases.eight_old && !releases.eight {
        return;
    }
    for call in &session.exchanges {
        for event in call.events.iter().filter(|event| event.kind == "checked") {
            let mut types = session.types.iter().map(|loaded| &loaded.definition);
            let own = types.find(|own| own.name.as_deref() == Some(&event.name));
            let (Some(own), Some(row)) = (own, event.arguments.first()) else {
                continue;
            };
            let Ok((unknown, wrong)) = own.misfits(row, true) else {
                continue;
            };
            let unknown = unknown
                .iter()
                .map(|name| format!("`{name}` is no attribute"));
            let Some(first) = unknown.chain(wrong).next() else {
                continue;
            };
            let then = match releases.seven {
                true => "Puppet 8 raises, 7.23 warns",
                false => "Puppet 8 raises",
            };
            let message = format!(
                "`context.type.check_schema` is asked about {}: {first} ({then})",
                named(own, row)
            );
            let finding = ledger.finding(call.number, CHECKED.says(message));
            ledger.report(finding.graded(call.provenance));
        }
    }
}

/// Resources with parameters that no example gives: only these are judged.
fn with_parameters(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (role, index, session) in group.variants() {
        for read in reads(session).filter(|_| !role.is_reference()) {
            let parameters = read.definition.attributes.iter();
            let parameters = parameters.filter(|one| one.behaviour == Behaviour::Parameter);
            let shown = parameters.flat_map(|one| {
                let rows = read.rows().iter();
                rows.filter_map(move |row| Some((row, &one.name, row.get(&one.name)?)))
            });
            let mut shown = shown.filter(|(.., value)| !value.is_nil());
            let found = shown.next();
            let place = RunPlace::at(index, read.call.number);
            let Some((row, name, value)) = found else {
                ledger.passes.push(place);
                continue;
            };
            let of = named(read.definition, row);
            let message = format!("{of}: {}", as_parameter(name, value));
            let finding = ledger.finding_at(place, PARAMETER.says(message));
            let finding = finding.grouped(name.as_str()).at_most(Level::Should);
            ledger.report(finding.graded(read.call.provenance));
        }
    }
}

fn as_parameter(name: &str, value: &Value) -> String {
    format!(
        "`{name}` is a parameter, and `get` shows it as {}",
        value.inspect()
    )
}

fn mismatch(
    read: &crate::rows::Read<'_>,
    name: &str,
    value: &Value,
    ledger: &mut Ledger,
) -> Option<(Variant, String)> {
    let Some(attribute) = read.definition.attribute(name) else {
        return Some((UNKNOWN, format!("`{name}` is no attribute of the type")));
    };
    let own = attribute.data_type.as_ref()?;
    match own.matches(value) {
        Match::Yes if attribute.behaviour == Behaviour::Parameter && !value.is_nil() => {
            Some((PARAMETER, as_parameter(name, value)))
        }
        Match::Yes => None,
        Match::No => Some((VALUE, own.describe_mismatch(name, value))),
        Match::Undecided(why) => {
            ledger.skip(why.to_string());
            None
        }
    }
}
