//! # Connection info that contradicts itself is refused
//!
//! ## What it requires
//! A transport may check the connection info beyond its types. If it refuses it, `initialize`
//! raises an ArgumentError.
//!
//! ## Why
//! Users see their mistake at once, and tools can distinguish it from a target that does not
//! answer.
//!
//! ## How it is judged
//! - Judged: each `[target.NAME]` in `stickler.toml` with `invalid = true`.
//! - Not judged: a target that is accepted, which is a matter of RA520.
//!
//! ## Example
//! Both a password and a key are given, and the transport takes one of them silently.
//!
//! ## How to fix
//! Write `raise ArgumentError, 'give a password or a key' if info[:password] && info[:key]`.
//!
//! ## Source
//! Resource API specification, "Transports", "Implementation".

use crate::purpose;
use crate::session::Session;
use crate::targets::{TARGETS, keyed, raised};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(TARGETS, check)];

/// It was refused in another way.
const OTHERWISE: Variant = Variant::new("otherwise");

fn check(session: &Session, ledger: &mut Ledger) {
    let Some((call, answer)) = keyed(session, purpose::INVALID) else {
        return;
    };
    let target = match call.key.label() {
        Some(name) => format!("the target `{name}` is declared invalid, and"),
        None => "the target is declared invalid, and".to_owned(),
    };
    let defect = match answer.failure() {
        Some(failure) if failure.class.as_deref() == Some("ArgumentError") => None,
        Some(failure) => Some(OTHERWISE.says(format!(
            "{target} it is refused by {} instead of an ArgumentError",
            failure.in_words()
        ))),
        None if raised(keyed(session, purpose::VERIFY)) => Some(OTHERWISE.says(format!(
            "{target} `initialize` accepts it, and only `verify` raises"
        ))),
        None => return,
    };
    ledger.check(call.number, call.provenance, defect);
}
