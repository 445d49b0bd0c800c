//! # `get` raises if its backend fails
//!
//! ## What it requires
//! If the system behind a provider does not answer, or refuses access, `get` raises. It does not
//! return fewer rows.
//!
//! ## Why
//! Otherwise the runtime creates resources that already exist, or considers them removed.
//!
//! ## How it is judged
//! - Judged: `get` on a target whose services have stopped, or that refuses the credentials. On
//!   this machine: while `[[service]]` is down, while the commands of `[fake]` exit with code 70,
//!   while a file that an example created is unreadable or holds half of a JSON document. Stickler
//!   compares the rows with those of the working backend.
//! - Not judged: commands that are missing or exit with 1, which often means "no"; providers that
//!   still return the same rows.
//!
//! ## Example
//! `rescue Errno::ECONNREFUSED` that returns `[]`; `` `queuectl list`.lines `` without a check of
//! `$?`.
//!
//! ## How to fix
//! Let the exception pass, or raise `Puppet::Error` with a message that names the system.
//!
//! ## Source
//! Resource API specification, "Resource implementation". puppet-resource_api 1.8.16 calls `get`
//! again for each resource, and each fails with the exception's message.

use crate::absent::is_absent;
use crate::backends::{broken, broken_reads};
use crate::purpose;
use crate::relation;
use crate::services::judge_reads;
use crate::session::Session;
use crate::targets::{TARGETS, keyed, returned, rows};
use puppet_types::Value;
use stickler_judge::{Check, Group, Ledger, Relation, RunPlace};

pub(super) const CHECKS: super::Checks = &[
    Check::Group(TARGETS, check),
    Check::Session(TARGETS, judge_reads),
    Check::Session(&[relation::BACKEND, Relation::COMMANDS], local),
];

/// Backends on this machine.
fn local(session: &Session, ledger: &mut Ledger) {
    let count = |called| {
        let rows = rows(called);
        let rows = rows.as_ref().and_then(Value::as_array).unwrap_or_default();
        rows.iter().filter(|row| !is_absent(row)).count()
    };
    for (whole, call) in broken_reads(session) {
        let usual = whole
            .answer
            .as_ref()
            .map_or(0, |answer| count(Some((whole, answer))));
        let (Some(answer), true) = (&call.answer, usual > 0) else {
            continue;
        };
        if answer.failure().is_some() {
            ledger.pass(call.number);
            continue;
        }
        let found = count(Some((call, answer)));
        // A provider may not need what is broken.
        if returned(Some((call, answer))) && found < usual {
            let what = broken(call).unwrap_or("its backend is broken");
            let message = format!("{what}, but `get` returns {found} rows instead of {usual}");
            ledger.check(call.number, call.provenance, Some(message));
        }
    }
}

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let count = |rows: &Value| rows.as_array().map_or(0, <[_]>::len);
    let Some((_, whole)) = group.baseline() else {
        return;
    };
    let Some(usual) = rows(keyed(whole, purpose::GET)).filter(|rows| count(rows) > 0) else {
        return;
    };
    for (role, index, session) in group.variants() {
        let key = match role.name() {
            "stopped" => purpose::GET_LOST,
            _ => purpose::GET,
        };
        let Some((call, answer)) = keyed(session, key) else {
            continue;
        };
        let place = RunPlace::at(index, call.number);
        if answer.failure().is_some() {
            ledger.passes.push(place);
        } else if returned(Some((call, answer))) {
            let found = rows(Some((call, answer)));
            let fewer = found
                .as_ref()
                .is_none_or(|found| count(found) < count(&usual));
            if !fewer {
                ledger.skip("the target still answers");
                continue;
            }
            let message = format!(
                "{}, but `get` returns {} rows instead of {}",
                match role.name() {
                    "gone" | "stopped" => "the target does not answer".to_owned(),
                    // A role such as "wrong password".
                    wrong => format!("the target refuses a {wrong}"),
                },
                found.as_ref().map_or(0, count),
                count(&usual)
            );
            let finding = ledger.finding_at(place, message);
            ledger.report(finding.graded(call.provenance));
        }
    }
}
