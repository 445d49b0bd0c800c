//! # No message about a resource follows its end
//!
//! ## What it requires
//! After the action of a resource is closed, no further message of the same `set` names it.
//!
//! ## Why
//! A late message looks as if it belonged to the next resource.
//!
//! ## How it is judged
//! - Judged: plain messages with a title after the end of the resource's block, or after `created`
//!   and the like. RA602 judges attributes.
//! - Not judged: a second block.
//!
//! ## Example
//! `context.updated(name)`, and then `context.info(name, 'done')`.
//!
//! ## How to fix
//! Write the message before, or without a title.
//!
//! ## Source
//! Resource API specification, "Logging reference".

use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use crate::told::{Kind, about, changes};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, _) in session.calls(phase::SET) {
        for (name, _) in changes(call) {
            let told = about(call, &name);
            let closed = told
                .iter()
                .position(|one| matches!(one.kind, Kind::Action | Kind::Done | Kind::Failed));
            let Some(closed) = closed else { continue };
            let after = &told[closed + 1..];
            let reopened = after.iter().any(|one| one.kind == Kind::Open);
            let late = after.iter().find(|one| one.kind == Kind::Log);
            let broken = late.filter(|_| !reopened).map(|late| {
                format!(
                    "`{}` names {} after `{}` closed its action",
                    late.event.name,
                    name.inspect(),
                    told[closed].event.name
                )
            });
            ledger.check(call.number, call.provenance, broken);
        }
    }
}
