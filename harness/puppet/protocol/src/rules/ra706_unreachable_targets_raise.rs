//! # An unusable target raises
//!
//! ## What it requires
//! If the target does not answer, or refuses the credentials, `initialize` raises. If the transport
//! connects later, `verify` raises.
//!
//! ## Why
//! Otherwise the run continues without a connection, and reports another error.
//!
//! ## How it is judged
//! - Judged: connections while no `[[service]]` of `stickler.toml` runs, and with each secret of
//!   the connection info replaced.
//! - Not judged: targets that still work then.
//!
//! ## Example
//! `initialize` rescues `Errno::ECONNREFUSED` and logs a warning, and `verify` is empty.
//!
//! ## How to fix
//! Let the exception pass, or raise `Puppet::Error` with a message that names the target.
//!
//! ## Source
//! Resource API specification, "Transports", "Implementation".

use crate::purpose;
use crate::session::Session;
use crate::targets::{TARGETS, keyed, raised, returned, rows};
use stickler_judge::{Check, Group, Ledger, Place};

pub(super) const CHECKS: super::Checks = &[Check::Group(TARGETS, check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, whole)) = group.baseline() else {
        return;
    };
    if !returned(keyed(whole, purpose::AGAIN)) {
        return;
    }
    for (role, index, session) in group.variants() {
        let Some((call, answer)) = keyed(session, purpose::TRIED) else {
            continue;
        };
        let place = Place {
            session: index,
            exchange: Some(call.number),
        };
        let verified = keyed(session, purpose::VERIFY);
        if answer.failure().is_some() || raised(verified) {
            ledger.passes.push(place);
            continue;
        }
        if !returned(verified) {
            continue;
        }
        let (facts, read) = (keyed(session, purpose::FACTS), keyed(session, purpose::GET));
        let differs = raised(facts)
            || raised(read)
            || read.is_some() && rows(read) != rows(keyed(whole, purpose::GET));
        if !differs {
            ledger.skip("the target still answers");
            continue;
        }
        let what = match role.name() {
            "gone" => "the target does not answer".to_owned(),
            secret => format!("the credentials are wrong ({secret})"),
        };
        let message = format!("{what}, but neither `initialize` nor `verify` raises");
        let finding = ledger.finding_at(place, message).grouped(role.name());
        ledger.report(finding.graded(call.provenance));
    }
}
