//! # A secret of a connection never shows
//!
//! ## What it requires
//! A sensitive value of the connection info is never part of a message, an error, facts, or what `inspect`
//! tells of the transport.
//!
//! ## Why
//! Logs, reports and facts are stored where others can read them. Errors often show objects.
//!
//! ## How it is judged
//! - Judged: messages, exceptions, facts, output and the transport's `inspect`, by the values that the
//!   target in `stickler.toml` has, and by wrong ones sent in their place.
//! - Not judged: values that are shorter than four characters, or part of another value.
//!
//! ## Example
//! `@password = connection_info[:password].unwrap` shows in `inspect`.
//!
//! ## How to fix
//! Keep the wrapped value, and call `unwrap` only where the connection is made.
//!
//! ## Source
//! Resource API specification, "Transports".

use crate::phase;
use crate::session::{Call, Session};
use crate::targets::{TARGETS, secrets};
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(TARGETS, check)];

/// In a message.
const MESSAGE: Variant = Variant::new("message");
/// In an exception.
const ERROR: Variant = Variant::new("error");
/// In facts.
const FACTS: Variant = Variant::new("facts");
/// In `inspect`.
const INSPECT: Variant = Variant::new("inspect");
/// In output.
const OUTPUT: Variant = Variant::new("output");

fn check(session: &Session, ledger: &mut Ledger) {
    let secrets = secrets(session);
    if secrets.is_empty() {
        return;
    }
    for call in session.exchanges.iter().filter(|call| call.answer.is_some()) {
        for (name, secret) in &secrets {
            let shown = places(call).into_iter().find(|(_, _, text)| text.contains(secret));
            let broken = shown.map(|(variant, place, _)| {
                variant.says(format!("the value of `{name}` shows in {place}"))
            });
            ledger.check(call.number, call.provenance, broken);
        }
    }
}

/// The texts that others see.
fn places(call: &Call) -> Vec<(Variant, &'static str, String)> {
    let mut places = Vec::new();
    for event in &call.events {
        for argument in &event.arguments {
            // What stays wrapped shows nothing.
            let text = match argument {
                Value::String(text) => text.clone(),
                other => other.inspect(),
            };
            places.push((MESSAGE, "a message", text));
        }
        if let Some(error) = &event.error {
            places.push((ERROR, "an exception", error.message.clone()));
        }
    }
    let Some(answer) = &call.answer else {
        return places;
    };
    if let Some(failure) = answer.failure() {
        places.push((ERROR, "an exception", failure.message.clone()));
    }
    if call.phase == phase::FACTS
        && let Some(facts) = answer.value("value")
    {
        places.push((FACTS, "the facts", facts.inspect()));
    }
    if call.phase == phase::INSPECT
        && let Some(text) = answer.text("value")
    {
        places.push((INSPECT, "`inspect`", text));
    }
    for bytes in [&call.printed, &call.errors] {
        let text = String::from_utf8_lossy(bytes).into_owned();
        places.push((OUTPUT, "what it prints", text));
    }
    places
}
