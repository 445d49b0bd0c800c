//! # `Cmp` sees a difference in each public field
//!
//! ## What it requires
//! If two resources differ in a public field, `Cmp` returns an error with a text.
//!
//! ## Why
//! At a swap, the engine keeps the old resource if it equals the new one. A field that `Cmp`
//! forgets keeps its old value.
//!
//! ## How it is judged
//! - Judged: two valid resources that differ in one field, whose values are made by its type. Where
//!   `Validate` refuses those: values near the example's, of other examples, and words of the source.
//! - Not judged: nil and empty values, which count as the same; fields that `[[waive]]` names.
//!
//! ## Example
//! A field was added to the struct, and not to `Cmp`.
//!
//! ## How to fix
//! Compare each public field. If a field does not matter, say so: `[[waive]]` with `rule`, `field`
//! and `reason`.
//!
//! ## Source
//! mgmt resource guide, "Cmp".

use crate::comparison::{Sides, comparisons};
use crate::fields::fields_of;
use crate::reads::COMPARES;
use crate::session::{Call, Session};
use std::collections::BTreeSet;
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::Variation;

pub(super) const CHECKS: super::Checks = &[Check::Session(COMPARES, check)];

/// The difference is not seen.
const UNSEEN: Variant = Variant::new("unseen");
/// The error has no text.
const NO_TEXT: Variant = Variant::new("no-text");

fn check(session: &Session, ledger: &mut Ledger) {
    let mut told_apart: BTreeSet<&str> = BTreeSet::new();
    let mut alike: Vec<(&Call, &str)> = Vec::new();
    comparisons(session, |call, sides| {
        if sides != Sides::Differ || !call.returns() {
            return;
        }
        let item = session.item(call);
        let Some(field) = item.and_then(|item| item.field.as_deref()) else {
            return;
        };
        // What is set may be what `Default` gives.
        let other = call.param("other").unwrap_or_default();
        let fields = |label| fields_of(session, call, label);
        if let (Some(one), Some(two)) = (fields(call.resource()), fields(other))
            && one == two
        {
            return;
        }
        let broken = match call.error() {
            None => Some(UNSEEN.says(format!("a difference in `{field}` is not seen"))),
            Some(text) if text.trim().is_empty() => {
                Some(NO_TEXT.says(format!("the error about `{field}` has no text")))
            }
            Some(_) => None,
        };
        match broken {
            None => {
                told_apart.insert(field);
                ledger.pass(call.number);
            }
            // Two words may mean the same. That counts only if no value of the field is told apart.
            Some(_) if call.error().is_none() && is_guess(session, call) => {
                alike.push((call, field));
            }
            Some(broken) => {
                let finding = ledger.finding(call.number, broken).grouped(field);
                ledger.report(finding.graded(call.provenance));
            }
        }
    });
    for (call, field) in alike {
        if told_apart.insert(field) {
            let broken = UNSEEN.says(format!("a difference in `{field}` is not seen"));
            let finding = ledger.finding(call.number, broken).grouped(field);
            ledger.report(finding.graded(call.provenance));
        }
    }
}

/// Is the value of the field one that the suite has found, and not made by its type?
fn is_guess(session: &Session, call: &Call) -> bool {
    let item = session.item(call);
    item.is_some_and(|item| item.variation == Some(Variation::Near))
}
