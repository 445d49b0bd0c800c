//! # Secrets of a connection are not shown
//!
//! ## What it requires
//! No message, error, fact or `inspect` of the transport contains a sensitive value of the
//! connection info.
//!
//! ## Why
//! Logs, reports and facts are stored where others can read them. Errors often show objects.
//!
//! ## How it is judged
//! - Judged: messages, exceptions, facts, output and the transport's `inspect`, searched for the
//!   sensitive values of the target in `stickler.toml`, and for the wrong ones that Stickler sends
//!   instead. Also in base64 or percent encoding.
//! - Lowered to should: a file with such a value that everybody may read.
//! - Not judged: values shorter than four characters; values that are part of another value.
//!
//! ## Example
//! `@password = connection_info[:password].unwrap` appears in `inspect`.
//!
//! ## How to fix
//! Keep the wrapped value, and call `unwrap` only where the connection is made.
//!
//! ## Source
//! Resource API specification, "Transports".

use crate::phase;
use crate::session::{Call, Session};
use crate::shown::{Shown, check_secrets, shown};
use crate::targets::{TARGETS, lacks_method, secrets};
use stickler_judge::{Check, Ledger, Level, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(TARGETS, check)];

/// In facts.
const FACTS: Variant = Variant::new("facts");
/// In `inspect`.
const INSPECT: Variant = Variant::new("inspect");
fn check(session: &Session, ledger: &mut Ledger) {
    // Ruby shows whom it asked for a method that is missing.
    let told = |call: &Call| match lacks_method(session, call) {
        true => Vec::new(),
        false => places(call),
    };
    check_secrets(session, ledger, &secrets(session), told);
}

/// The texts of a call that others may read.
fn places(call: &Call) -> Vec<Shown> {
    let mut places = shown(call);
    let Some(answer) = &call.answer else {
        return places;
    };
    let told = match call.phase {
        phase::FACTS => answer.value("value").map(|facts| Shown {
            variant: FACTS,
            place: "the facts",
            text: facts.inspect(),
            level: Level::Must,
        }),
        phase::INSPECT => answer.text("value").map(|text| Shown {
            variant: INSPECT,
            place: "`inspect`",
            text,
            level: Level::Must,
        }),
        _ => None,
    };
    places.extend(told);
    places
}
