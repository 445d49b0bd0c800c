//! # Logged values are canonical
//!
//! ## What it requires
//! With the feature `canonicalize`, messages show values in their canonical form.
//!
//! ## Why
//! Users compare messages with what `puppet resource` shows.
//!
//! ## How it is judged
//! - Judged: titles and new values in reports of changes. A value is not canonical if it is the
//!   target in another case, with other spaces, or as the manifest has it.
//!
//! ## Example
//! `context.attribute_changed(id, 'id', nil, "0x#{should[:id].downcase}")`.
//!
//! ## How to fix
//! Report `should[:id]` unchanged.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize".

use crate::phase;
use crate::reads::READS;
use crate::session::{Call, Session};
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, _) in session.calls(phase::SET) {
        let own = session.definition(call);
        if !own.is_some_and(|own| own.has_feature("canonicalize")) {
            continue;
        }
        let all = changes(call);
        let reports = call.events.iter().filter(|event| event.kind == "action");
        for event in reports {
            // The title, and the new value of an attribute.
            let (attribute, at) = match (&*event.name, event.arguments.len()) {
                ("attribute_changed", 4..) => (event.arguments.get(1), 3),
                _ => (None, 0),
            };
            let Some(Value::String(shown)) = event.arguments.get(at) else {
                continue;
            };
            let wanted = all.iter().filter_map(|(name, change)| match attribute {
                None => Some(name.to_text()),
                Some(attribute) => {
                    let value = change.get("should")?.get(&attribute.to_text())?;
                    Some(value.as_str()?.to_owned())
                }
            });
            let mut wanted = wanted.filter(|text| text != shown);
            let raw = wanted
                .find(|text| folded(text) == folded(shown) || was(session, call, shown, text));
            let is_canonical = all.iter().any(|(name, _)| name.to_text() == *shown);
            let broken = raw
                .filter(|_| attribute.is_some() || !is_canonical)
                .map(|text| {
                    format!(
                        "`{}` shows `{shown}` instead of the canonical `{text}`",
                        event.name
                    )
                });
            ledger.check(call.number, call.provenance, broken);
        }
    }
}

/// Without case, spaces and a sign of numbers.
fn folded(text: &str) -> String {
    let lower = text.to_lowercase();
    let lower = lower.trim().strip_prefix("0x").unwrap_or(lower.trim());
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Did `canonicalize` turn one text into the other?
fn was(session: &Session, call: &Call, shown: &str, canonical: &str) -> bool {
    session.calls(phase::CANONICALIZE).any(|(other, answer)| {
        let (Some(given), Some(got)) = (other.param("resources"), answer.value("value")) else {
            return false;
        };
        let pairs = given.as_array().unwrap_or_default().iter();
        let mut pairs = pairs.zip(got.as_array().unwrap_or_default());
        other.number < call.number
            && pairs.any(|(before, after)| {
                let members = before.as_hash().unwrap_or_default();
                members.iter().any(|(key, value)| {
                    let now = key.as_symbol().and_then(|name| after.get(name));
                    value.as_str() == Some(shown) && now.and_then(Value::as_str) == Some(canonical)
                })
            })
    })
}
