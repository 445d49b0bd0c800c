//! # Changes are reported by what really happened
//!
//! ## What it requires
//! `set` reports each resource that it changes: what it creates as created, what it changes as updated, and
//! what it removes as deleted. `processing` and `processed` do for all.
//!
//! ## Why
//! Reports say what happened to the system.
//!
//! ## How it is judged
//! - Judged: messages during each `set` that changed a resource as it should, by its state before.
//! - Not judged: changes that do not say what is; a removal followed by a creation.
//!
//! ## Example
//! `context.updating(name)` around the creation of a resource.
//!
//! ## How to fix
//! Write `context.creating(name) { … }`, or let SimpleProvider do it.
//!
//! ## Source
//! Resource API specification, "Logging and reporting".

use crate::absent::is_absent;
use crate::after::after_each;
use crate::reads::READS;
use crate::session::Session;
use crate::told::{Kind, about};
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// Nothing is reported.
const SILENT: Variant = Variant::new("silent");
/// Something else is reported.
const OTHER: Variant = Variant::new("other");

fn check(session: &Session, ledger: &mut Ledger) {
    for one in after_each(session)
        .into_iter()
        .filter(|one| one.wrong.is_none())
    {
        let Some(is) = one.change.get("is") else {
            continue;
        };
        let should = one.change.get("should");
        let (was, will) = (is_there(Some(is)), is_there(should));
        let verbs: &[&str] = match (was, will) {
            (false, true) => &["creating", "created"],
            (true, true) => &["updating", "updated"],
            (true, false) => &["deleting", "deleted"],
            (false, false) => continue,
        };
        // Nothing happened to what is as it should be already.
        if Some(is) == should {
            continue;
        }
        let told = about(one.set, &one.name);
        let mut actions = told
            .iter()
            .filter(|one| matches!(one.kind, Kind::Open | Kind::Action))
            .map(|one| &*one.event.name);
        let all: Vec<&str> = actions.by_ref().collect();
        let general = ["processing", "processed"];
        let fits = |name: &&str| verbs.contains(name) || general.contains(name);
        let broken = if all.is_empty() {
            Some(SILENT.says(format!(
                "{} was changed, and `set` does not report it",
                one.name.inspect()
            )))
        } else if all.iter().any(fits) {
            None
        } else {
            Some(OTHER.says(format!(
                "{} was {}, and `set` reports `{}`",
                one.name.inspect(),
                verbs[1],
                all[0]
            )))
        };
        ledger.check(one.set.number, one.set.provenance, broken);
    }
}

/// Does a state say that the resource is there?
fn is_there(state: Option<&Value>) -> bool {
    state.is_some_and(|state| !is_absent(state))
}
