//! # `close` releases the connection
//!
//! ## What it requires
//! `close` never raises, even if the target is gone. Afterwards, no socket and no process of the
//! connection is left.
//!
//! ## Why
//! `puppet device` serves many targets from one process, and devices allow few sessions at a time.
//!
//! ## How it is judged
//! - Judged: each call of `close`; sockets and processes of the host before a connection and
//!   shortly after its `close`.
//! - Not judged: what the first connection leaves, since libraries may keep a socket or a process; a
//!   transport without `close` (RA705).
//!
//! ## Example
//! `def close(context); @session = nil; end`, where the session holds a socket.
//!
//! ## How to fix
//! Call `@session.close`, and rescue what it raises.
//!
//! ## Source
//! Resource API specification, "Transports", "Implementation". puppet-resource_api 1.8.16 never
//! calls `close`.

use crate::phase;
use crate::purpose;
use crate::session::Session;
use crate::targets::{TARGETS, keyed, lacks_method, returned};
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::Purpose;

pub(super) const CHECKS: super::Checks = &[Check::Session(TARGETS, check)];

/// It raised.
const RAISED: Variant = Variant::new("raised");
/// Something is left.
const LEFT: Variant = Variant::new("left");

fn check(session: &Session, ledger: &mut Ledger) {
    let closes = session.calls(phase::CLOSE);
    for (call, answer) in closes.filter(|(call, _)| call.param("transport").is_some()) {
        // A second call is a matter of RA710.
        if call.key.is(purpose::CLOSE_TWICE) || lacks_method(session, call) {
            continue;
        }
        let broken = answer
            .failure()
            .map(|failure| RAISED.says(format!("`close` raised {}", failure.in_words())));
        ledger.check(call.number, call.provenance, broken);
    }
    let held = |purpose: Purpose, what: &str| -> Option<usize> {
        let mut calls = session.calls(phase::HOLDS);
        let (_, answer) = calls.find(|(call, _)| call.key.is(purpose))?;
        match answer.value(what)? {
            Value::Integer(count) => count.to_string().parse().ok(),
            _ => None,
        }
    };
    let Some((call, _)) = keyed(session, purpose::CLOSE).filter(|closed| returned(Some(*closed)))
    else {
        return;
    };
    for what in ["sockets", "processes"] {
        let (Some(before), Some(after)) = (
            held(purpose::HELD_BEFORE, what),
            held(purpose::HELD_AFTER, what),
        ) else {
            continue;
        };
        let broken = (after > before).then(|| {
            LEFT.says(format!(
                "`close` leaves {what} of the connection open: there were {before} before it, and there are {after} after `close`"
            ))
        });
        ledger.check(call.number, call.provenance, broken);
    }
}
