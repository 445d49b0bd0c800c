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

use crate::reads::READS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in &session.exchanges {
        for event in &call.events {
            let broken = (event.kind == "unknown")
                .then(|| format!("`context.{}` does not exist", event.name));
            ledger.check(call.number, call.provenance, broken);
        }
    }
}
