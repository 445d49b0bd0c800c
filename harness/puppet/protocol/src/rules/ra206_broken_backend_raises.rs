//! # A backend that cannot be read is no empty system
//!
//! ## What it requires
//! If the system behind a provider does not answer or refuses, `get` raises. It does not return fewer rows.
//!
//! ## Why
//! The runtime would create what is there already, or take what it cannot see for removed.
//!
//! ## How it is judged
//! - Judged: `get` on a target whose services have stopped, or that refuses the credentials, compared with
//!   `get` while it answers.
//! - Not judged: backends other than targets.
//!
//! ## Example
//! `rescue Errno::ECONNREFUSED` and `[]`.
//!
//! ## How to fix
//! Let the exception pass, or raise `Puppet::Error` with a message that names the system.
//!
//! ## Source
//! Resource API specification, "Resource implementation". puppet-resource_api 1.8.16 calls `get` again for
//! each resource, and each fails with the exception's message.

use crate::session::Session;
use crate::targets::{TARGETS, keyed, returned, rows};
use puppet_types::Value;
use stickler_judge::{Check, Group, Ledger, Place};

pub(super) const CHECKS: super::Checks = &[Check::Group(TARGETS, check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let count = |rows: &Value| rows.as_array().map_or(0, <[_]>::len);
    let Some((_, whole)) = group.baseline() else {
        return;
    };
    let Some(usual) = rows(keyed(whole, "get")).filter(|rows| count(rows) > 0) else {
        return;
    };
    for (role, index, session) in group.variants() {
        let key = match role.name() {
            "stopped" => "get-lost",
            _ => "get",
        };
        let Some((call, answer)) = keyed(session, key) else {
            continue;
        };
        let place = Place {
            session: index,
            exchange: Some(call.number),
        };
        if answer.failure().is_some() {
            ledger.passes.push(place);
        } else if returned(Some((call, answer))) {
            let found = rows(Some((call, answer)));
            let fewer = found
                .as_ref()
                .is_none_or(|found| count(found) < count(&usual));
            if !fewer {
                ledger.skip("the target answers all the same");
                continue;
            }
            let message = format!(
                "the target is {}, and `get` returns {} rows instead of {}",
                if ["gone", "stopped"].contains(&role.name()) {
                    "gone"
                } else {
                    "closed"
                },
                found.as_ref().map_or(0, count),
                count(&usual)
            );
            let finding = ledger.finding_at(place, message);
            ledger.report(finding.graded(call.provenance));
        }
    }
}
