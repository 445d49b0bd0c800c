//! # Providers of remote resources work through the transport
//!
//! ## What it requires
//! The provider of a type with the feature `remote_resource` reaches its device through
//! `context.transport`.
//!
//! ## Why
//! Only the transport knows the device and its credentials. Runtimes choose the transport for each
//! run.
//!
//! ## How it is judged
//! - Judged: if a provider returned rows or changed something, whether any call of the session called a
//!   method of the transport.
//! - Not judged: other actions of the provider, such as reading files; rows with names alone.
//!
//! ## Example
//! `Net::HTTP.get(URI("http://#{Facter.value(:fqdn)}/vlans"))` in `get`.
//!
//! ## How to fix
//! Move the request into a method of the transport, and call `context.transport.vlans`.
//!
//! ## Source
//! Resource API specification, "Provider feature: remote_resource".

use crate::message::Answer;
use crate::phase;
use crate::reads::READS;
use crate::session::{Call, Session};
use puppet_types::{Definition, Value};
use stickler_json::Json;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (open, answer) in session.calls(phase::OPEN) {
        let own_definition = session.definition_of(open);
        let (Some(number), true) = (
            answer.value("provider"),
            own_definition.is_some_and(|own| own.has_feature("remote_resource")),
        ) else {
            continue;
        };
        let mut worked: Option<&Call> = None;
        for phase in [phase::GET, phase::SET] {
            let all = session.calls(phase);
            let own = all.filter(|(call, _)| {
                call.process == open.process && call.param("provider").as_ref() == Some(&number)
            });
            for (call, answer) in own {
                if through(answer).is_none() {
                    continue;
                }
                let changes = call.param("changes");
                let has_changes = changes.as_ref().and_then(Value::as_array);
                let is_set =
                    has_changes.is_some_and(|changes| !changes.is_empty()) && !call.marks_failure();
                let rows = answer.value("value");
                let has_rows = rows.as_ref().and_then(Value::as_array);
                // A name alone is nothing that a target told.
                let says = |row: &Value| own_definition.is_some_and(|own| tells(own, row));
                if is_set || has_rows.is_some_and(|rows| rows.iter().any(says)) {
                    worked = worked.or(Some(call));
                }
            }
        }
        if let Some(call) = worked {
            // What one call asked, another may remember.
            let mut all = session.exchanges.iter();
            let asked = all.any(|other| {
                let answer = other.answer.as_ref().and_then(through);
                other.process == call.process && answer.is_some_and(|count| count > 0)
            });
            let broken = (!asked).then(|| {
                format!(
                    "`{}` works without calling any method of the transport",
                    call.phase
                )
            });
            ledger.check(call.number, call.provenance, broken);
        }
    }
}

/// Does a row say more than that there is a resource of some name?
fn tells(definition: &Definition, row: &Value) -> bool {
    let namevars = definition.namevars();
    let mut members = row.as_hash().unwrap_or_default().iter();
    members.any(|(key, value)| {
        let name = key.as_symbol().unwrap_or_default();
        !value.is_nil() && !["title", "ensure"].contains(&name) && !namevars.contains(&name)
    })
}

/// How many methods of the transport were called during a call that returned.
fn through(answer: &Answer) -> Option<u64> {
    let Answer::Result(result) = answer else {
        return None;
    };
    match result.get("through")? {
        Json::Number(count) => count.parse().ok(),
        _ => None,
    }
}
