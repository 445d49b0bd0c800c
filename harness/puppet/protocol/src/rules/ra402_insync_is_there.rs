//! # The feature `custom_insync` and the method agree
//!
//! ## What it requires
//! A provider has the method `insync?` if its type declares the feature `custom_insync`. Asked for a
//! property that the state has, it answers without raising.
//!
//! ## Why
//! Without the feature, the method is never called. Without the method, or if it raises, the property
//! fails in each run.
//!
//! ## How it is judged
//! - Judged: the methods of each provider whose host tells them; each call.
//!
//! ## Example
//! `insync?` reads `is_hash[:members].sort` where `members` may be missing.
//!
//! ## How to fix
//! Add `features: ['custom_insync']`, or remove the method. Return nil for what it does not decide.
//!
//! ## Source
//! Resource API specification, "Provider feature: custom_insync".

use crate::declared;
use crate::phase;
use crate::reads::DEFINITIONS;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, check)];

/// It raised.
const RAISED: Variant = Variant::new("raised");

fn check(session: &Session, ledger: &mut Ledger) {
    declared::agree(session, ledger, "custom_insync", "insync?");
    for (call, answer) in session.calls(phase::INSYNC) {
        let broken = answer
            .failure()
            .map(|failure| RAISED.says(format!("it raised {}", failure.in_words())));
        ledger.check(call.number, call.provenance, broken);
    }
}
