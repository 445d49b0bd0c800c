//! # `canonicalize` accepts partial resources
//!
//! ## What it requires
//! `canonicalize` accepts resources that have only their namevars or only a title. It also accepts
//! resources that have metaparameters in addition to their attributes.
//!
//! ## Why
//! `puppet resource` sends a name alone. A manifest's resource comes with `loglevel`, `tag` and
//! others.
//!
//! ## How it is judged
//! - Judged: whether calls with such resources raise.
//!
//! ## Example
//! `resource[:fingerprint].upcase` where there is only a title.
//!
//! ## How to fix
//! Change only keys that exist:
//! `resource[:comment] = tidy(resource[:comment]) if resource[:comment]`.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize", which shows whole resources;
//! puppet-resource_api 1.8.16 and 2.0.1 send partial ones.

use crate::message::Failure;
use crate::phase;
use crate::purpose;
use crate::relation;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::Purpose;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::FEATURES], check)];

/// What `canonicalize` gets.
const PARTIAL: [(Purpose, &str); 3] = [
    (purpose::PARTIAL_NAMES, "the namevars alone"),
    (purpose::PARTIAL_TITLE, "a title alone"),
    (purpose::PARTIAL_MORE, "metaparameters"),
];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::CANONICALIZE) {
        let mut given = PARTIAL.iter();
        let Some((_, what)) = given.find(|(purpose, _)| call.key.is(*purpose)) else {
            continue;
        };
        if let Some(why) = answer.failure().and_then(Failure::lack) {
            ledger.skip(why);
            continue;
        }
        let broken = answer
            .failure()
            .map(|failure| format!("given {what}, it raised {}", failure.in_words()));
        ledger.check(call.number, call.provenance, broken);
    }
}
