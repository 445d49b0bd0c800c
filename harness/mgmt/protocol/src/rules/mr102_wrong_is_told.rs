//! # If the state is wrong and `apply` is false, `CheckApply` returns `(false, nil)`
//!
//! ## What it requires
//! With `apply` false, a resource that would change something returns `(false, nil)`, and no error.
//!
//! ## Why
//! In noop mode, an error stops the vertex and everything below it, although nothing is wrong with
//! the resource.
//!
//! ## How it is judged
//! - Judged: a check with `apply` false, if the next call with `apply` true succeeds.
//! - Judged: an apply of the example with another value of one field, or with an item of a list twice, after the example
//!   was applied, if each makes something else where there is nothing; of a number, a greater and a smaller one.
//! - Lowered to should: such an apply.
//! - Not judged: checks of resources that cannot be applied either; what differs once something has been
//!   applied (MR108).
//!
//! ## Example
//! A resource opens the file that it would have to create.
//!
//! ## How to fix
//! Return `false, nil` as soon as something differs, before any work that only an apply needs.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::phase;
use crate::reads::APPLIES;
use crate::relation::VARIED;
use crate::session::{Call, Session};
use crate::settled::{checks_before_applies, has_applied};
use crate::visit::fate;
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger, Level, Variant};
use stickler_transcript::{Bytes, Fate, FileType, Item, Key, Purpose, Variation};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(APPLIES, check),
    Check::Session(&[VARIED], overlooked),
];

/// It fails.
const FAILS: Variant = Variant::new("fails");
/// It takes the state for right.
const UNTOLD: Variant = Variant::new("untold");
/// It does not compare one of its fields.
const OVERLOOKS: Variant =
    Variant::new("overlooks-a-field").titled("Each field that makes a difference is compared");

fn check(session: &Session, ledger: &mut Ledger) {
    for (dry, apply) in checks_before_applies(session) {
        if !apply.succeeds() || !dry.returns() {
            continue;
        }
        let changes = apply.ok() == Some(false) && !has_applied(session, dry);
        let broken = dry
            .error()
            .map(|error| {
                FAILS.says(format!(
                    "with `apply` false it fails, and with `apply` true it does not: {error}"
                ))
            })
            .or_else(|| {
                let is_right = dry.ok() == Some(true) && changes;
                is_right.then(|| {
                    UNTOLD.says(
                        "with `apply` false it returns `(true, nil)`, and then changes something",
                    )
                })
            });
        ledger.check(dry.number, dry.provenance, broken);
    }
}

/// Words in the names of fields that count only when something is made for the first time.
const AT_FIRST: [&str; 9] = [
    "initial", "default", "seed", "once", "first", "create", "skel", "template", "fallback",
];

/// Is an apply content with what the example made, though it makes something else where there is nothing?
fn overlooked(session: &Session, ledger: &mut Ledger) {
    let mut items = session.case().items.iter();
    let Some(example) = items.find(|item| item.variation.is_none()) else {
        return;
    };
    let (first, again) = (Purpose::ANEW.of(&example.label), Purpose::ANEW.nth(2));
    let usual = made(session, &first);
    if usual.is_none() || usual != made(session, &again.of(&example.label)) {
        return;
    }
    let mut numbers: BTreeMap<&str, Vec<&Call>> = BTreeMap::new();
    for item in session.case().items.iter() {
        let Some(call) = differs(session, item, usual.as_ref()) else {
            continue;
        };
        match item.variation {
            // One that is greater may do for what is asked for, or one that is smaller, but not both.
            Some(Variation::Number) => {
                let field = item.field.as_deref().unwrap_or_default();
                numbers.entry(field).or_default().push(call);
            }
            _ if fate(call) == Some(Fate::Changed) => ledger.pass(call.number),
            _ => tell(call, item.field.as_deref(), ledger),
        }
    }
    for (field, calls) in numbers {
        let [one, other] = calls[..] else {
            continue;
        };
        match [one, other].map(fate) {
            [Some(Fate::Unchanged), Some(Fate::Unchanged)] => tell(one, Some(field), ledger),
            _ => ledger.pass(one.number),
        }
    }
}

/// The apply of an item after the example, if it succeeds, and the item makes something else where there is nothing.
fn differs<'s>(session: &'s Session, item: &Item, usual: Option<&Made<'_>>) -> Option<&'s Call> {
    let field = item.variation.and(item.field.as_deref())?.to_lowercase();
    if AT_FIRST.iter().any(|word| field.contains(word)) {
        return None;
    }
    let anew = made(session, &Purpose::ANEW.of(&item.label))?;
    let is_other = usual.is_some_and(|usual| anew != *usual && anew.keys().eq(usual.keys()));
    let call = session.exchange(&Purpose::EVALUATE.of(&item.label))?;
    // The example has just been applied.
    let before = session
        .calls(phase::CHECKAPPLY)
        .filter(|one| one.number < call.number);
    let is_right = before.last().is_some_and(Call::succeeds);
    (is_other && is_right && call.succeeds()).then_some(call)
}

fn tell(call: &Call, field: Option<&str>, ledger: &mut Ledger) {
    let message = format!(
        "with another value of \"{}\" it finds all right, although it makes something else where there is nothing",
        field.unwrap_or_default()
    );
    let finding = ledger
        .finding(call.number, OVERLOOKS.says(message))
        .expected("`(false, nil)`, and what it makes where there is nothing")
        .at_most(Level::Should);
    ledger.report(finding.graded(call.provenance));
}

/// Files with their contents and modes.
type Made<'s> = BTreeMap<&'s [u8], (Option<&'s Bytes>, u32)>;

/// What an apply made, if it changed something.
fn made<'s>(session: &'s Session, key: &Key) -> Option<Made<'s>> {
    let call = session.exchange(key)?;
    let changes = call.all_effects()?;
    let made: Made<'s> = changes
        .iter()
        .filter_map(|change| Some((&change.path[..], change.after.as_ref()?)))
        .filter(|(_, entry)| entry.kind != FileType::Directory)
        .map(|(path, entry)| (path, (entry.content.as_ref(), entry.mode)))
        .collect();
    (fate(call) == Some(Fate::Changed) && !made.is_empty()).then_some(made)
}
