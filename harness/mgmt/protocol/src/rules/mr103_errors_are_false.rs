//! # On an error, `CheckApply` returns `(false, err)`
//!
//! ## What it requires
//! `CheckApply` never returns `(true, err)`. An apply that failed returns an error, and not `(false, nil)`.
//!
//! ## Why
//! The engine calls `(true, err)` a programming error. After `(false, nil)` it takes the state for right,
//! and runs what depends on it.
//!
//! ## How it is judged
//! - Judged: each call; calls in which a write fails, if the next call finds the state wrong.
//!
//! ## Example
//! `return true, errors.New("cannot read the file")`
//!
//! ## How to fix
//! Return `false, err` wherever the error is not nil.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::phase;
use crate::reads::APPLIES;
use crate::session::Session;
use crate::settled::changes_again;
use crate::visit::fate;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(APPLIES, check),
    Check::Session(&[Relation::WRITE], failed),
];

/// It says nothing of a failure.
const SILENT: Variant = Variant::new("silent");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session
        .calls(phase::CHECKAPPLY)
        .filter(|call| call.returns())
    {
        let broken = call
            .error()
            .filter(|_| call.ok() == Some(true))
            .map(|error| format!("it returned `true` with an error: {error}"));
        ledger.check(call.number, call.provenance, broken);
    }
}

fn failed(session: &Session, ledger: &mut Ledger) {
    for call in session
        .calls(phase::CHECKAPPLY)
        .filter(|call| call.failed_write().is_some())
    {
        let mut later = session
            .calls(phase::CHECKAPPLY)
            .filter(|one| one.number > call.number);
        let Some(next) = later.next().filter(|_| call.returns()) else {
            continue;
        };
        if changes_again(session, call) {
            continue;
        }
        let broken = (call.succeeds() && fate(next) == Some(Fate::Changed)).then(|| {
            SILENT.says("a write fails, it returns no error, and the state is wrong afterwards")
        });
        ledger.check_against(next.number, call.number, call.provenance, broken);
    }
}
