//! # The feature `custom_insync` and the method agree
//!
//! ## What it requires
//! A provider has the method `insync?` if, and only if, its type declares the feature
//! `custom_insync`. For a property that the state has, the method returns without raising.
//!
//! ## Why
//! Without the feature, the runtime never calls the method. If the method is missing or raises, the
//! property fails in each run.
//!
//! ## How it is judged
//! - Judged: the methods of each provider, if the host reports them; each call about an example;
//!   calls about generated targets and rows, which may lack properties.
//! - Not judged: plain errors about generated targets and rows, about examples whose author expects an
//!   error, and while a service is down.
//! - Lowered to may: a method without the feature that only returns nil.
//!
//! ## Example
//! `insync?` reads `is_hash[:members].sort` where `members` may be missing.
//!
//! ## How to fix
//! Add `features: ['custom_insync']`, or remove the method. Return nil for properties that it does
//! not decide.
//!
//! ## Source
//! Resource API specification, "Provider feature: custom_insync".

use super::ra801_plain_errors::OF_THE_CODE;
use crate::declared;
use crate::message::Failure;
use crate::phase;
use crate::purpose;
use crate::reads::READS;
use crate::services::is_down;
use crate::session::{Call, Session};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// It raised.
const RAISED: Variant = Variant::new("raised");

fn check(session: &Session, ledger: &mut Ledger) {
    declared::agree(session, ledger, "custom_insync", "insync?");
    if session.is_spoilt() {
        return;
    }
    for (call, answer) in session.calls(phase::INSYNC) {
        let failure = answer.failure();
        let is_refusal = |failure: &&Failure| {
            let class = failure.class.as_deref().unwrap_or_default();
            let may = is_made_up(session, call) || is_expected(session, call) || is_down(call);
            may && !OF_THE_CODE.contains(&class)
        };
        let broken = failure
            .filter(|failure| !is_refusal(failure))
            .map(|failure| RAISED.says(format!("it raised {}", failure.in_words())));
        ledger.check(call.number, call.provenance, broken);
    }
}

/// Does the author expect an error, as of a check that fails?
fn is_expected(session: &Session, call: &Call) -> bool {
    let item = session.item(call);
    item.is_some_and(|item| item.expect.iter().any(|expected| expected == "error"))
}

/// Is it a question that no example asks?
fn is_made_up(session: &Session, call: &Call) -> bool {
    call.key.part_of(purpose::ASKED).is_some()
        || session.item(call).is_some_and(|item| !item.original)
}
