//! # `set` accepts no changes, and makes all of several
//!
//! ## What it requires
//! Called without changes, `set` returns and changes nothing. Called with several, it makes all of
//! them.
//!
//! ## Why
//! A runtime may have nothing to do for a type, or hand over many changes at once.
//!
//! ## How it is judged
//! - Judged: a call of `set` without changes; one with an example and the same resource under
//!   another name; one with two examples that ask for different resources after the same `setup`.
//! - Not judged: names that the provider also refuses in a call of their own.
//!
//! ## Example
//! `changes.first[1]` raises if there are no changes, and ignores all but the first.
//!
//! ## How to fix
//! Iterate over the changes.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::after::all_afters;
use crate::phase;
use crate::purpose;
use crate::relation;
use crate::session::Session;
use crate::together::{needed_alone, works_alone};
use puppet_types::Value;
use stickler_judge::{Check, Ledger};
use stickler_reading::words::visible;

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[relation::CHANGES, relation::TOGETHER],
    check,
)];

fn check(session: &Session, ledger: &mut Ledger) {
    for after in all_afters(session) {
        if after.each.len() < 2 || !after.set.key.is(purpose::TWINS) {
            continue;
        }
        // A resource may be refused by itself, and then the others too, before anything happens.
        let failed = after.set.fails();
        let mut wrong = after.each.iter().filter(|one| one.wrong.is_some());
        if failed && !wrong.all(|one| works_alone(session, &one.name)) {
            continue;
        }
        let lost = after.each.iter().find_map(|one| one.wrong.as_ref());
        let lost = lost.map(|wrong| wrong.message.clone()).or_else(|| {
            // What `insync?` compares shows only in whether it asks for the change again.
            let needed = needed_alone(session);
            let first = needed.first().filter(|_| !failed)?;
            let item = session.item(first)?;
            Some(format!(
                "\"{}\" has to be set again by itself",
                item.example
            ))
        });
        let broken = lost.map(|lost| {
            format!("called with several changes, `set` does not make all of them: {lost}")
        });
        if broken.is_some() || !failed {
            ledger.check(after.set.number, after.set.provenance, broken);
        }
    }
    for (call, answer) in session.calls(phase::SET) {
        let changes = call.param("changes");
        let is_empty = changes
            .as_ref()
            .and_then(Value::as_array)
            .is_some_and(<[_]>::is_empty);
        if !is_empty {
            continue;
        }
        // A keyword that it asks for is a matter of RA512.
        let own = session.definition(call);
        let is_noop = own.is_some_and(|own| own.has_feature("supports_noop"));
        let raised = answer
            .failure()
            .filter(|failure| !(is_noop && failure.is_arity()))
            .map(|failure| {
                format!(
                    "called without changes, `set` raised {}",
                    failure.in_words()
                )
            });
        let effect = call.effects.iter().flatten().next();
        let effect = effect.map(|change| {
            format!(
                "called without changes, `set` changed {}",
                visible(&change.path)
            )
        });
        ledger.check(call.number, call.provenance, raised.or(effect));
    }
}
