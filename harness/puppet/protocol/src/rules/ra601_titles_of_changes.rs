//! # Log messages name only resources that were to change
//!
//! ## What it requires
//! While `set` runs, messages of the context name only resources that are part of its changes.
//!
//! ## Why
//! The runtime has no place for reports about other resources.
//!
//! ## How it is judged
//! - Judged: blocks, actions and messages with titles during each call of `set`; `attribute_changed`
//!   without a title where no block is open.
//!
//! ## Example
//! `context.updated('b')` or `context.notice('b', 'done')` while only `a` changes.
//!
//! ## How to fix
//! Report only the requested changes; log other messages without a title.
//!
//! ## Source
//! Resource API specification, "Logging and reporting". No runtime checks it.

use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use crate::told::{is_same, names_resources, titles, untitled};
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, _) in session.calls(phase::SET) {
        let Some(Value::Array(changes)) = call.param("changes") else {
            continue;
        };
        let names: Vec<&Value> = changes
            .iter()
            .filter_map(|change| change.as_array()?.first())
            .collect();
        for (block, event) in untitled(call) {
            let broken = block
                .is_none()
                .then(|| format!("`{}` names no resource, and no block is open", event.name));
            ledger.check(call.number, call.provenance, broken);
        }
        let told = call.events.iter().filter(|event| names_resources(event));
        for event in told {
            let foreign = titles(event)
                .into_iter()
                .find(|title| !is_one_of(title, &names));
            let broken = foreign.map(|title| {
                format!(
                    "`{}` names {}, which `set` was not called to change",
                    event.name,
                    title.inspect()
                )
            });
            ledger.check(call.number, call.provenance, broken);
        }
    }
}

fn is_one_of(title: &Value, names: &[&Value]) -> bool {
    names.iter().any(|name| is_same(title, name))
}
