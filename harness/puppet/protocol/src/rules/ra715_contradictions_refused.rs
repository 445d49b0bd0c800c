//! # Connection info that contradicts itself is refused
//!
//! ## What it requires
//! A transport refuses connection info that its author declares invalid. `initialize` raises an
//! ArgumentError.
//!
//! ## Why
//! Users see their mistake at once, and tools can distinguish it from a target that does not
//! answer.
//!
//! ## How it is judged
//! - Judged: each `[target.NAME]` in `stickler.toml` with `invalid = true`.
//! - Lowered to may: it is refused by another exception, or by `verify` alone.
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
use stickler_judge::{Check, Ledger, Level, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(TARGETS, check)];

/// It was accepted.
const ACCEPTED: Variant = Variant::new("accepted");
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
        Some(failure) if failure.class.as_deref() == Some("ArgumentError") => {
            ledger.pass(call.number);
            return;
        }
        Some(failure) => OTHERWISE.says(format!(
            "{target} it is refused by {} instead of an ArgumentError",
            failure.in_words()
        )),
        None if raised(keyed(session, purpose::VERIFY)) => OTHERWISE.says(format!(
            "{target} `initialize` accepts it, and only `verify` raises"
        )),
        None => {
            let defect = ACCEPTED.says(format!("{target} it is accepted"));
            ledger.check(call.number, call.provenance, Some(defect));
            return;
        }
    };
    let finding = ledger.finding(call.number, defect).at_most(Level::May);
    ledger.report(finding.graded(call.provenance));
}
