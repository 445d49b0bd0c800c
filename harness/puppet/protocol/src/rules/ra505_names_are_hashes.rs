//! # With several namevars, names are hashes
//!
//! ## What it requires
//! If a type has several namevars, the keys of the changes are hashes of them. `set` accepts them.
//!
//! ## Why
//! The runtime sends them in this form, and no other.
//!
//! ## How it is judged
//! - Judged: calls of `set` with such names: whether they raise; a resource that is not there afterwards, if
//!   another one is, or if a name is written as a whole into a file. Other reasons are RA501's business.
//!
//! ## Example
//! `changes.each { |name, change| File.write("#{dir}/#{name}", …) }`.
//!
//! ## How to fix
//! Read the parts: `name[:package]` and `name[:manager]`.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::after::afters;
use crate::others::{is_named, is_same};
use crate::phase;
use crate::reads::READS;
use crate::rows::{Read, reads};
use crate::session::{Call, Session};
use crate::shown::own_changes;
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let afters = afters(session);
    for (call, answer) in session.calls(phase::SET) {
        let names = changes(call);
        let is_hashed = names.iter().any(|(name, _)| matches!(name, Value::Hash(_)));
        // Without one of them, the call may fail for a reason that RA503 or RA504 judges.
        let is_whole = names.iter().all(|(_, change)| {
            let has = |key| change.get(key).is_some_and(|value| !value.is_nil());
            has("is") && has("should")
        });
        // Where other values are tried or calls fail, this says nothing about names.
        if !is_hashed || !is_whole || call.failed_write().is_some() || !session.is_original(call) {
            continue;
        }
        let raised = answer.failure();
        if raised.is_some_and(|failure| failure.in_library || failure.missing.is_some()) {
            continue;
        }
        let raised = raised
            .filter(|failure| {
                let class = failure.class.as_deref().unwrap_or_default();
                super::ra801_plain_errors::OF_THE_CODE.contains(&class)
            })
            .map(|failure| format!("given hashes as names, `set` raised {}", failure.in_words()));
        let after = afters.iter().find(|after| after.set.number == call.number);
        let lost = after.and_then(|after| after.wrong.as_ref());
        let lost = lost.filter(|wrong| wrong.properties == ["ensure"]);
        let lost = lost.filter(|_| is_written(session, call) || makes_another(session, call));
        let lost = lost.map(|wrong| format!("given hashes as names: {}", wrong.message));
        ledger.check(call.number, call.provenance, raised.or(lost));
    }
}

/// Does a call write a hash as text, in the name of a file or within it?
fn is_written(session: &Session, call: &Call) -> bool {
    let definition = session.definition(call);
    let Some(first) = definition.and_then(|own| own.namevars().into_iter().next()) else {
        return false;
    };
    let texts = [format!("{{:{first}=>"), format!("{{{first}: ")];
    own_changes(session, call).any(|change| {
        let content = change.after.as_ref().and_then(|one| one.content.as_ref());
        let places = std::iter::once(&change.path).chain(content);
        places.into_iter().any(|place| {
            let place = place.lossy();
            texts.iter().any(|text| place.contains(&**text))
        })
    })
}

/// Is there another resource after a call, which nobody named?
fn makes_another(session: &Session, call: &Call) -> bool {
    let all: Vec<Read<'_>> = reads(session).collect();
    let before = all.iter().rfind(|read| read.call.number < call.number);
    let after = all.iter().find(|read| read.call.number > call.number);
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    let names = changes(call);
    let is_known = |row: &Value| {
        let mut names = names.iter().map(|(name, _)| name);
        let mut known = before.rows().iter();
        names.any(|name| is_named(after.definition, row, name))
            || known.any(|other| is_same(after.definition, row, other))
    };
    !after.rows().iter().all(is_known)
}
