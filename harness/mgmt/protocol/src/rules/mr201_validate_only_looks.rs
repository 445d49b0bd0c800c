//! # `Validate` looks at the fields alone, and changes nothing
//!
//! ## What it requires
//! `Validate` says the same in an empty world. It changes neither the system nor the fields of the resource.
//!
//! ## Why
//! The engine calls it before it decides whether the graph runs at all, and again after values were
//! received.
//!
//! ## How it is judged
//! - Judged: the changes of files during each call; all public fields before and after it; each example
//!   without its `setup` commands, and without its folder.
//!
//! ## Example
//! `Validate` sets a missing field to its default.
//!
//! ## How to fix
//! Set defaults in `Default`, and derived values in `Init`.
//!
//! ## Source
//! mgmt resource guide, "Validate".

use crate::fields::changed_by;
use crate::phase;
use crate::reads::VALIDATES;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger, Relation, Role, RunPlace, Variant};
use stickler_reading::words::visible;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(VALIDATES, check),
    Check::Group(&[Relation::BARE], compare),
];

/// It asks the outside world.
const OUTSIDE: Variant = Variant::new("outside");
/// A file changes.
const SYSTEM: Variant = Variant::new("system");
/// A field changes.
const FIELD: Variant = Variant::new("field");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::VALIDATE) {
        let effect = call.effects.as_ref().and_then(|effects| effects.first());
        let field = changed_by(session, call, call.resource());
        let broken = effect
            .map(|change| SYSTEM.says(format!("`Validate` changed {}", visible(&change.path))))
            .or_else(|| {
                field.map(|field| FIELD.says(format!("`Validate` changes the field {field}")))
            });
        ledger.check(call.number, call.provenance, broken);
    }
}

fn compare(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, usual)) = group.baseline() else {
        return;
    };
    for (role, index, bare) in group.variants().filter(|variant| *variant.0 != Role::Again) {
        for call in bare.calls(phase::VALIDATE) {
            let Some(known) = usual.exchange(&call.key).filter(|known| known.succeeds()) else {
                continue;
            };
            let place = RunPlace::at(index, call.number);
            if !call.returns() || known.phase != call.phase {
                continue;
            }
            let broken = call.error().map(|why| {
                let without = match role.to_string().as_str() {
                    "without its folder" => "without the folder of the example",
                    _ => "without the `setup` commands",
                };
                OUTSIDE.says(format!("{without}, `Validate` fails: {why}"))
            });
            ledger.check_at(place, call.provenance, broken);
        }
    }
}
