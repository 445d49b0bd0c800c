//! # Messages about a resource come in order
//!
//! ## What it requires
//! If the provider opens a block such as `updating` for a resource, the block comes before other
//! messages about the resource. `attribute_changed` comes before the message that closes the
//! action.
//!
//! ## Why
//! The runtime assigns messages to the open action.
//!
//! ## How it is judged
//! - Judged: messages with the title of one resource during a call of `set`.
//! - Not judged: a second block, such as `creating` after `deleting`.
//!
//! ## Example
//! `context.updated('a')`, and then `context.attribute_changed('a', …)`.
//!
//! ## How to fix
//! Report attributes within the block, or before `updated`.
//!
//! ## Source
//! Resource API specification, "Logging reference". No runtime checks it.

use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use crate::told::{Kind, about, changes};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// A block is opened late.
const OPENED: Variant = Variant::new("opened-late");
/// An attribute is reported late.
const ATTRIBUTE: Variant = Variant::new("attribute-late");

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, _) in session.calls(phase::SET) {
        for (name, _) in changes(call) {
            let told = about(call, &name);
            if told.is_empty() {
                continue;
            }
            let opened = told.iter().position(|one| one.kind == Kind::Open);
            let closed = told
                .iter()
                .position(|one| matches!(one.kind, Kind::Action | Kind::Done | Kind::Failed));
            let late = opened.filter(|at| *at > 0).map(|at| {
                OPENED.says(format!(
                    "`{}` is opened for {} after `{}`",
                    told[at].event.name,
                    name.inspect(),
                    told[0].event.name
                ))
            });
            let after = closed.map_or(&[][..], |at| &told[at + 1..]);
            let reopened = after.iter().any(|one| one.kind == Kind::Open);
            let attribute = after.iter().find(|one| one.kind == Kind::Attribute);
            let attribute = attribute.filter(|_| !reopened).map(|_| {
                ATTRIBUTE.says(format!(
                    "`attribute_changed` for {} comes after its action was closed",
                    name.inspect()
                ))
            });
            ledger.check(call.number, call.provenance, late.or(attribute));
        }
    }
}
