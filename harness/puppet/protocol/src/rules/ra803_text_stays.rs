//! # Text arrives unchanged
//!
//! ## What it requires
//! A text that the type admits and `set` accepts arrives unchanged, whatever its characters.
//!
//! ## Why
//! Quotes, spaces, backslashes and letters of other languages occur in passwords, names and
//! comments.
//!
//! ## How it is judged
//! - Judged: the examples with difficult texts in all text attributes and in the first item of each list
//!   and hash at once, or in one after the other where `set` refuses that, compared with `get` after
//!   each `set` that returned. New resources also get texts with spaces at their ends. Values are
//!   compared in canonical form.
//! - Not judged: texts that `set` refuses by an exception; Sensitive values; parameters; properties that
//!   arrive with no value at all (RA501).
//!
//! ## Example
//! `line.split('=')[1]` loses what follows a second `=`.
//!
//! ## How to fix
//! Split at the first sign only, quote what you write, and give encodings:
//! `File.read(path, encoding: 'UTF-8')`. Let the type refuse what the system cannot store.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::after::{After, Wrong, afters, holds_secrets};
use crate::relation;
use crate::session::Session;
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Relation};
use stickler_transcript::Variation;

pub(super) const CHECKS: super::Checks = &[Check::Session(TEXTS, check)];

/// Sessions with difficult texts.
const TEXTS: &[Relation] = &[relation::VALUES, Relation::TEXT];

fn check(session: &Session, ledger: &mut Ledger) {
    let all = afters(session);
    let is_text = |after: &After<'_>| {
        let item = session.item(after.set);
        item.is_some_and(|item| item.variation == Some(Variation::Text))
    };
    let plain: Vec<_> = all.iter().filter(|after| !is_text(after)).collect();
    // RA501 speaks of a property that never arrives, whatever its value.
    let lost: Vec<String> = plain.iter().flat_map(|after| lost(after)).collect();
    for after in all {
        let item = session.item(after.set);
        let Some(item) = item.filter(|item| item.variation == Some(Variation::Text)) else {
            continue;
        };
        // What becomes of the others is RA501's business. An item without a field has such a text in each.
        let is_own = |wrong: &Wrong| {
            let own = |one: &String| item.field.as_ref().is_none_or(|field| field == one);
            wrong
                .properties
                .iter()
                .any(|one| one == "ensure" || own(one))
        };
        // Secrets are no business of this rule.
        let is_secret = |one: &String| {
            let mut all = after.each.iter();
            all.any(|each| {
                let wanted = each.change.get("should").and_then(|should| should.get(one));
                wanted.is_some_and(holds_secrets)
            })
        };
        let wrong = after.wrong.clone().filter(is_own);
        let wrong = wrong.filter(|wrong| !wrong.properties.iter().all(is_secret));
        let Some(wrong) = wrong else {
            ledger.pass(after.set.number);
            continue;
        };
        let nothing = self::lost(&after);
        let is_lost = |one: &String| one != "ensure" && nothing.contains(one) && lost.contains(one);
        if wrong.properties.iter().all(is_lost) {
            continue;
        }
        let first = wrong.properties.first();
        let field = item.field.as_ref().or(first).cloned().unwrap_or_default();
        let what = item.description.as_deref().unwrap_or("another text");
        let message = format!("{what}: {}", wrong.message);
        let finding = ledger
            .finding(after.set.number, message)
            .grouped(field)
            .graded(after.set.provenance);
        // A property that no update reaches does not get this text either.
        ledger.report(
            match wrong.properties.iter().all(|one| stays(&after, one)) {
                true => finding.follows("RA501"),
                false => finding,
            },
        );
    }
}

/// Does a property of what was there keep its value?
fn stays(after: &After<'_>, name: &str) -> bool {
    let mut all = after
        .each
        .iter()
        .filter(|one| one.wrong.is_some())
        .peekable();
    let of = |state: Option<&Value>| state.and_then(|state| state.get(name)).cloned();
    all.peek().is_some()
        && all.all(|one| {
            let was = of(one.change.get("is"));
            was.as_ref().is_some_and(|was| !was.is_nil()) && was == of(one.row.as_ref())
        })
}

/// The properties that were to have a value, and have none.
fn lost(after: &After<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for one in &after.each {
        let (Some(wrong), Some(row)) = (&one.wrong, &one.row) else {
            continue;
        };
        let is_nothing = |name: &&String| row.get(name).is_none_or(Value::is_nil);
        let is_wanted = |name: &&String| {
            let wanted = one.change.get("should").and_then(|should| should.get(name));
            wanted.is_some_and(|wanted| wanted.as_str() != Some(""))
        };
        let names = wrong.properties.iter();
        found.extend(names.filter(is_nothing).filter(is_wanted).cloned());
    }
    found
}
