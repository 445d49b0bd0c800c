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
use stickler_judge::{Check, Ledger, Variant};

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
        let names = |rows: &[Value]| {
            let namevars = definition.namevars();
            let mut names: Vec<String> = rows
                .iter()
                .map(|row| {
                    namevars
                        .iter()
                        .map(|name| row.get(name).map(Value::inspect))
                        .map(Option::unwrap_or_default)
                        .collect()
                })
                .collect();
            names.sort();
            names.dedup();
            names.len()
        };
        if broken.is_none() && names(got) < names(given) {
            broken = Some(SAME.says("resources with different namevars have the same afterwards"));
        }
        ledger.check(call.number, call.provenance, broken);
    }
}
