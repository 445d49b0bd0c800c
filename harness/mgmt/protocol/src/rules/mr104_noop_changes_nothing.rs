//! # With `apply` false, `CheckApply` changes nothing on the system
//!
//! ## What it requires
//! With `apply` false, no file is created, changed or removed.
//!
//! ## Why
//! Noop is how people look what a graph would do on a machine that they must not touch.
//!
//! ## How it is judged
//! - Judged: the changes of files during each call with `apply` false, also where the folder of its file
//!   is missing.
//! - Not judged: what lies in the folder of `VarDir`.
//!
//! ## Example
//! A resource makes the parent directory before it looks at `apply`.
//!
//! ## How to fix
//! Put `if !apply { return false, nil }` before the first change.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::phase;
use crate::reads::APPLIES;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_reading::words::visible;

pub(super) const CHECKS: super::Checks = &[Check::Session(APPLIES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    // A refresh is another rule's.
    let dry = session
        .calls(phase::CHECKAPPLY)
        .filter(|call| !call.has("apply") && !call.has("refresh"));
    for call in dry {
        let Some(effects) = &call.effects else {
            continue;
        };
        let broken = effects
            .first()
            .map(|change| format!("with `apply` false it changed {}", visible(&change.path)));
        ledger.check(call.number, call.provenance, broken);
    }
}
