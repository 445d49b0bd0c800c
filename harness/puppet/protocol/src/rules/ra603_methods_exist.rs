//! # A provider calls only methods that the context has
//!
//! ## What it requires
//! A provider calls only methods of the context that the runtimes have.
//!
//! ## Why
//! A method that the runtime lacks raises NoMethodError, often only in a branch that rarely runs.
//!
//! ## How it is judged
//! - Judged: each method that the provider calls, compared with those of puppet-resource_api
//!   1.8.16.
//!
//! ## Example
//! `context.error('…')`: the method is `err`.
//!
//! ## How to fix
//! Use `err`, `updated` and the others that the library has.
//!
//! ## Source
//! Resource API specification, "Logging reference". The documents differ: one has `error` and
//! `changed`, which no library has.

use crate::message::HostEvent;
use crate::reads::READS;
use crate::releases::Releases;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Level, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// A message that newer libraries take for something else.
const MESSAGE: Variant = Variant::new("message");

fn check(session: &Session, ledger: &mut Ledger) {
    let releases = Releases::of(session);
    let prints_hash = releases.eight_old || releases.eight;
    for call in &session.exchanges {
        for event in &call.events {
            let broken = (event.kind == "unknown")
                .then(|| format!("`context.{}` does not exist", event.name));
            ledger.check(call.number, call.provenance, broken);
            if prints_hash && has_message(event) {
                let message = MESSAGE.says(
                    "`context.processing` has `message:`, which puppet-resource_api 1.9 and 2.0 print as a hash; \
                     1.8.16 has no other way, so leave the message out",
                );
                let finding = ledger.finding(call.number, message);
                ledger.report(finding.at_most(Level::Should).graded(call.provenance));
            }
        }
    }
}

/// Does a call of `processing` give its message by the keyword?
fn has_message(event: &HostEvent) -> bool {
    let last = event.arguments.last();
    event.kind == "open"
        && event.name == "processing"
        && event.arguments.len() == 4
        && last.is_some_and(|last| last.as_hash().is_some() && last.get("message").is_some())
}
