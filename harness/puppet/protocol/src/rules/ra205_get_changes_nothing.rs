//! # `get` changes nothing, and returns the same twice
//!
//! ## What it requires
//! `get` only reads. Called twice in a row, it returns the same; values of read_only attributes may
//! differ.
//!
//! ## Why
//! The runtime calls `get` in every run, also in those that must not change anything, and for
//! `puppet resource`.
//!
//! ## How it is judged
//! - Judged: files that each call changes; two successive calls of one instance.
//! - Not judged: files of the provider that `[effects] ignore` names, such as caches; sessions with
//!   kills or failing writes; rows while a service or a command fails.
//!
//! ## Example
//! `get` writes a lock file and leaves it.
//!
//! ## How to fix
//! Move whatever changes the system into `set`.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::backends::commands_fail;
use crate::reads::READS;
use crate::rows::{Read, lasting, reads};
use crate::services::is_down;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::visible;

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// Something changed.
const CHANGES: Variant = Variant::new("changes");
/// The second call says something else.
const DIFFERS: Variant = Variant::new("differs");

fn check(session: &Session, ledger: &mut Ledger) {
    // After an interruption, a database may first put its files in order.
    if session.is_disturbed() {
        return;
    }
    let all: Vec<Read<'_>> = reads(session).collect();
    for read in &all {
        let Some(effects) = &read.call.effects else {
            continue;
        };
        let broken = effects
            .first()
            .map(|change| CHANGES.says(format!("`get` changed {}", visible(&change.path))));
        ledger.check(read.call.number, read.call.provenance, broken);
    }
    // Commands may fail from one call to the next.
    if commands_fail(session) {
        return;
    }
    for pair in all.windows(2) {
        let [first, second] = pair else { continue };
        let is_next = first.call.number + 1 == second.call.number
            && first.call.process == second.call.process
            && first.call.param("provider") == second.call.param("provider")
            && first.call.param("names") == second.call.param("names");
        // A service stopped in between.
        let stopped = is_down(first.call) != is_down(second.call);
        if !is_next || stopped || session.changed_between(first.call, second.call) {
            continue;
        }
        let broken = (lasting(first) != lasting(second))
            .then(|| DIFFERS.says("a second call returns other rows"));
        ledger.check(second.call.number, second.call.provenance, broken);
    }
}
