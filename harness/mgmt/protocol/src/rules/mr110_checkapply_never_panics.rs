//! # `CheckApply` never panics
//!
//! ## What it requires
//! Whatever values `Validate` passes, and whatever the machine looks like, `CheckApply` returns.
//!
//! ## Why
//! The engine recovers the panic and reports an error. A panic in a goroutine of the resource ends
//! mgmt.
//!
//! ## How it is judged
//! - Judged: each call of a resource that is valid; a host that ends during the call.
//! - Judged: also where a file is missing, no text, empty, huge, a link or a directory, or may not be read
//!   or written, and where commands of `[fake]` fail.
//!
//! ## Example
//! A nil map is written to, since `Init` makes it only if a field is set.
//!
//! ## How to fix
//! Return an error instead, or refuse the value in `Validate`.
//!
//! ## Source
//! The interface of resources: an error is how a call fails.

use crate::phase;
use crate::reads::APPLIES_ODD;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(APPLIES_ODD, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::CHECKAPPLY) {
        let errors = String::from_utf8_lossy(&call.errors);
        let is_of_watch = errors.contains(").Watch") && !errors.contains(").CheckApply");
        let ended = super::host_ended(call).filter(|_| !is_of_watch);
        // What a missing trait does is for the trait's rule to say.
        let panic = call
            .panic()
            .filter(|panic| !panic.contains("does not support the"));
        ledger.check(call.number, call.provenance, panic.or(ended));
    }
}
