//! # Kinds are lower-case, and registered once
//!
//! ## What it requires
//! The name of a kind has no capital letters, and no blanks.
//!
//! ## Why
//! The language writes kinds in lower case. A kind that is registered twice ends the program when
//! it starts.
//!
//! ## How it is judged
//! - Judged: each kind that the package registers.
//!
//! ## Example
//! `engine.RegisterResource("Foo", …)`
//!
//! ## How to fix
//! Register it as `"foo"`.
//!
//! ## Source
//! mgmt resource guide, "Resource registration".

use crate::phase;
use crate::reads::KINDS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(KINDS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::DESCRIBE).filter(|call| call.returns()) {
        let kind = call.param("kind").unwrap_or_default();
        let wrong = |letter: char| letter.is_uppercase() || letter.is_whitespace();
        let broken = kind
            .contains(wrong)
            .then(|| format!("the kind `{kind}` is not lower-case"));
        ledger.check(call.number, call.provenance, broken);
    }
}
