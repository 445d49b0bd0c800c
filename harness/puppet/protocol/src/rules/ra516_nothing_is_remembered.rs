//! # Nothing is remembered outside the instance
//!
//! ## What it requires
//! A new instance of the provider sees the system as it is, whatever other instances have seen.
//!
//! ## Why
//! The agent runs for weeks, and builds an instance for each run. In between, the system changes.
//!
//! ## How it is judged
//! - Judged: what a new instance returns after files have been changed from outside, compared with what a
//!   fresh process returns.
//! - Not judged: values of read_only attributes.
//!
//! ## Example
//! `@@rows ||= read_all` in `get`.
//!
//! ## How to fix
//! Keep such values in instance variables: `@rows ||= read_all`, and forget them in `set`.
//!
//! ## Source
//! Resource API specification, "Runtime environment".

use crate::reads::READS;
use crate::rows::{lasting, reads};
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let all: Vec<_> = reads(session).collect();
    let keyed = |start: &str| all.iter().find(|read| read.call.key.starts_with(start));
    if let (Some(anew), Some(fresh)) = (keyed("anew:"), keyed("fresh:")) {
        let broken = (lasting(anew) != lasting(fresh))
            .then_some("a new instance returns what an earlier one has seen");
        ledger.check(anew.call.number, anew.call.provenance, broken);
    }
}
