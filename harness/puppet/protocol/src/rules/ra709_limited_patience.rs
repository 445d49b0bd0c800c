//! # A transport waits at most 30 seconds, and logs it
//!
//! ## What it requires
//! A transport waits at most 30 seconds for its target. If it retries, it logs messages of level
//! notice or above.
//!
//! ## Why
//! A target that is down must not delay the others. Operators want to see temporary problems.
//!
//! ## How it is judged
//! - Judged: how long `initialize` and `verify` take while no service of `stickler.toml` runs, and
//!   their messages if they take two seconds or more. `check --quick` leaves these sessions out.
//! - Judged: how long `initialize` takes if the services accept connections and never answer.
//!
//! ## Example
//! `sleep 10 and retry if (attempts += 1) < 6`.
//!
//! ## How to fix
//! Limit the whole time, with timeouts for connecting and for reading. Call
//! `context.notice("… does not answer, attempt #{n}")` before each retry.
//!
//! ## Source
//! Resource API specification, "Transports", "Implementation".

use crate::purpose;
use crate::session::{Call, Session};
use crate::targets::TARGETS;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(TARGETS, check)];

/// It waits too long.
const LONG: Variant = Variant::new("long");
/// It says nothing.
const SILENT: Variant = Variant::new("silent");

/// The longest wait, in microseconds.
const MOST_US: u64 = 30_000_000;
/// A wait that operators notice, in microseconds.
const NOTABLE_US: u64 = 2_000_000;

fn check(session: &Session, ledger: &mut Ledger) {
    let Some(role) = without_target(session) else {
        return;
    };
    // Nobody need tell of waiting for a single answer.
    let retries = role != "quiet";
    let waits = session
        .exchanges
        .iter()
        .filter(|call| call.key.is(purpose::TRIED) || call.key.is(purpose::VERIFY));
    for call in waits {
        let took = match call.took() {
            Some(took) => took,
            None if call.is_quiet() => session.case().deadlines.of(call.phase).max(MOST_US + 1),
            None => continue,
        };
        let method = match call.phase {
            crate::phase::VERIFY => "verify",
            _ => "initialize",
        };
        let seconds = took as f64 / 1e6;
        let broken = if took > MOST_US {
            Some(LONG.says(format!("`{method}` waited more than 30 s for the target")))
        } else if retries && took >= NOTABLE_US && !tells(call) {
            Some(SILENT.says(format!(
                "`{method}` waited {seconds:.0} s for the target without logging a notice or a warning"
            )))
        } else {
            None
        };
        ledger.check(call.number, call.provenance, broken);
    }
}

/// Is there a message that operators see?
fn tells(call: &Call) -> bool {
    let mut told = call.events.iter();
    told.any(|event| {
        ["log", "puppet"].contains(&&*event.kind)
            && ["notice", "warning", "err"].contains(&&*event.name)
    })
}

/// The role of a session in which no target answers.
pub(super) fn without_target(session: &Session) -> Option<&str> {
    let mut groups = session.case().groups.iter();
    groups.find_map(|member| {
        let role = member.role.name();
        ["gone", "stopped", "quiet"].contains(&role).then_some(role)
    })
}
