//! # Canonical values match their types
//!
//! ## What it requires
//! The values that `canonicalize` returns match the types of their attributes. Resources with
//! different namevars still have different ones.
//!
//! ## Why
//! Canonical values go to `set`, and are compared with those of `get`.
//!
//! ## How it is judged
//! - Judged: the result of each call, compared with its arguments.
//! - Not judged: namevars that differ in case, spaces or signs alone or at their start, which may mean
//!   the same.
//!
//! ## Example
//! `r[:port] = r[:port].to_s` where the type is `Integer`.
//!
//! ## How to fix
//! Keep the type.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize".

use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use puppet_types::Value;
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::telling;

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// A value of another type.
const VALUE: Variant = Variant::new("value");
/// Two resources became one.
const SAME: Variant = Variant::new("same");

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::CANONICALIZE) {
        let (Some(definition), Some(given), Some(got)) = (
            session.definition(call),
            call.param("resources"),
            answer.value("value"),
        ) else {
            continue;
        };
        let (Some(given), Some(got)) = (given.as_array(), got.as_array()) else {
            continue;
        };
        let mut broken = None;
        for (before, after) in given.iter().zip(got) {
            for (key, value) in after.as_hash().unwrap_or_default() {
                let Some(attribute) = key.as_symbol().and_then(|name| definition.attribute(name))
                else {
                    continue;
                };
                let Some(own) = &attribute.data_type else {
                    continue;
                };
                let was = before.get(&attribute.name);
                if own.matches(value).is_no() && was.is_some_and(|was| own.matches(was).is_yes()) {
                    broken = Some(VALUE.says(own.describe_mismatch(&attribute.name, value)));
                }
            }
        }
        if broken.is_none() && are_merged(&definition.namevars(), given, got) {
            broken = Some(SAME.says("resources with different namevars have the same afterwards"));
        }
        ledger.check(call.number, call.provenance, broken);
    }
}

/// Have two resources the same namevars, although letters or digits told them apart?
fn are_merged(namevars: &[&str], given: &[Value], got: &[Value]) -> bool {
    let texts = |row: &Value| -> Option<Vec<String>> {
        let mut texts = namevars
            .iter()
            .map(|name| row.get(name).map(Value::to_text));
        texts.by_ref().collect()
    };
    let mut known: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    given.iter().zip(got).any(|(before, after)| {
        let (Some(before), Some(after)) = (texts(before), texts(after)) else {
            return false;
        };
        let before: Vec<String> = before.into_iter().map(|text| telling(&text)).collect();
        let first = known.entry(after).or_insert_with(|| before.clone());
        let mut pairs = first.iter().zip(&before);
        *first != before && pairs.all(|(one, other)| begin_alike(one, other))
    })
}

/// Does one text continue the other, but for its last letter? What stands in front may mean nothing, as in `0x`.
fn begin_alike(one: &str, other: &str) -> bool {
    let pairs = one.chars().zip(other.chars());
    let common = pairs.take_while(|(one, other)| one == other).count();
    common + 1 >= one.chars().count().min(other.chars().count())
}
