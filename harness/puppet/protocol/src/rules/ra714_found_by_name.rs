//! # A transport is found by its name, and reconnects
//!
//! ## What it requires
//! The list of transports contains the schema under its name. A connection succeeds whether the
//! schema was registered directly, required or loaded by the autoloader. It succeeds again after
//! `close`.
//!
//! ## Why
//! `puppet device`, Bolt and tasks each load schemas in their own way.
//!
//! ## How it is judged
//! - Judged: the list after the schema was loaded; connections in fresh processes in each of these
//!   ways, if one of them works; a second connection of a process.
//!
//! ## Example
//! A transport that stores in a class variable that it is connected.
//!
//! ## How to fix
//! Keep the state of a connection in instance variables. Register exactly one schema per file.
//!
//! ## Source
//! Resource API specification, "Direct Access to Transports".

use crate::phase;
use crate::purpose;
use crate::session::Session;
use crate::targets::{TRANSPORTS, keyed, returned};
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(TRANSPORTS, check)];

/// It is not in the list.
const LISTED: Variant = Variant::new("listed");
/// Its schema is not found in one of the ways.
const FOUND: Variant = Variant::new("found");
/// It cannot be used a second time.
const AGAIN: Variant = Variant::new("again");

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::TRANSPORTS) {
        let Some(Value::Array(names)) = answer.value("names") else {
            continue;
        };
        for loaded in &session.transports {
            let Some(name) = &loaded.definition.name else {
                continue;
            };
            let is_there = names.iter().any(|one| one.as_str() == Some(name));
            let broken = (!is_there).then(|| LISTED.says(format!("`{name}` is not in the list")));
            ledger.check(call.number, call.provenance, broken);
        }
    }
    let ways = [purpose::BY_AUTOLOAD, purpose::BY_NONE, purpose::BY_DEVICE];
    let works = ways.iter().any(|key| returned(keyed(session, *key)));
    for (key, way) in [
        (
            purpose::BY_AUTOLOAD,
            "the autoloader has loaded the schemas",
        ),
        (purpose::BY_NONE, "the schema was registered directly"),
    ] {
        let Some((call, answer)) = keyed(session, key).filter(|_| works) else {
            continue;
        };
        let broken = answer
            .failure()
            .map(|failure| FOUND.says(format!("no connection once {way}: {}", failure.in_words())));
        ledger.check(call.number, call.provenance, broken);
    }
    if let Some((call, answer)) = keyed(session, purpose::AGAIN)
        && returned(keyed(session, purpose::FIRST))
    {
        let broken = answer.failure().map(|failure| {
            AGAIN.says(format!(
                "after `close`, a second connection raised {}",
                failure.in_words()
            ))
        });
        ledger.check(call.number, call.provenance, broken);
    }
}
