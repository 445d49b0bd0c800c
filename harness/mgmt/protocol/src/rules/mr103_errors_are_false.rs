//! # On an error, `CheckApply` returns `(false, err)`
//!
//! ## What it requires
//! `CheckApply` never returns `(true, err)`.
//!
//! ## Why
//! The engine calls it a programming error, and treats it as a failure.
//!
//! ## How it is judged
//! - Judged: each call.
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
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(APPLIES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::CHECKAPPLY).filter(|call| call.returns()) {
        let broken = call
            .error()
            .filter(|_| call.ok() == Some(true))
            .map(|error| format!("it returned `true` with an error: {error}"));
        ledger.check(call.number, call.provenance, broken);
    }
}
