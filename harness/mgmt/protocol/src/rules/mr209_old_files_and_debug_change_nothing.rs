//! # Old files in VarDir and Debug change nothing
//!
//! ## What it requires
//! A resource does the same if the folder of `VarDir` holds files already, and if `Debug` is on. It
//! writes what it has to say with `Logf`, and not to standard output or standard error.
//!
//! ## Why
//! The folder outlives mgmt. A debug message that panics, or changes a value, makes debugging
//! impossible.
//!
//! ## How it is judged
//! - Judged: the first three calls of each example, compared with the usual ones; the output of
//!   the process during calls.
//! - Not judged: calls whose result differs from one usual run to another.
//!
//! ## Example
//! `CheckApply` ends with an error if a file in its folder is there already.
//!
//! ## How to fix
//! Clear the folder in `Init`, or overwrite what is there.
//!
//! ## Source
//! mgmt resource guide, "VarDir", "Debug" and "Logf".

use crate::phase;
use crate::relation;
use crate::session::{Call, Session};
use stickler_judge::{Check, Group, Ledger, Place, Role, Variant};
use stickler_reading::words::{cut, visible};

pub(super) const CHECKS: super::Checks = &[
    Check::Group(&[relation::SURROUNDINGS], compare),
    Check::Session(&[relation::SURROUNDINGS], prints),
];

/// It does something else.
const OTHERWISE: Variant = Variant::new("otherwise");
/// It prints.
const PRINTS: Variant = Variant::new("prints");

fn compare(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, usual)) = group.baseline() else {
        return;
    };
    let again: Vec<&Session> = group
        .role(Role::Again)
        .map(|(_, session)| session)
        .collect();
    for (role, index, session) in group.variants().filter(|variant| *variant.0 != Role::Again) {
        for call in &session.exchanges {
            if ![phase::INIT, phase::VALIDATE, phase::CHECKAPPLY].contains(&call.phase) {
                continue;
            }
            let Some(known) = usual.exchange(&call.key) else {
                continue;
            };
            let is_stable = again.iter().all(|one| {
                one.exchange(&call.key)
                    .is_none_or(|other| result(other) == result(known))
            });
            let place = Place {
                session: index,
                exchange: Some(call.number),
            };
            if !is_stable || result(known).is_none() {
                continue;
            }
            let differs = result(known) != result(call);
            let broken = differs.then(|| {
                let why = call.why_it_fails().unwrap_or_else(|| crate::answered(call));
                OTHERWISE.says(format!(
                    "`{}` does something else if {role}: {why}",
                    call.phase.name()
                ))
            });
            ledger.check_at(place, call.provenance, broken);
            // What comes later may follow from it.
            if differs {
                break;
            }
        }
    }
}

/// What a call came to: whether it returned, whether that was an error, and what it said of the state.
fn result(call: &Call) -> Option<(bool, bool, Option<bool>)> {
    call.answer.as_ref()?;
    Some((call.returns(), call.error().is_some(), call.ok()))
}

fn prints(session: &Session, ledger: &mut Ledger) {
    for call in &session.exchanges {
        if ![phase::INIT, phase::CHECKAPPLY, phase::VALIDATE].contains(&call.phase)
            || !call.returns()
        {
            continue;
        }
        let text = String::from_utf8_lossy(&call.errors);
        // The race detector is another rule's.
        let mut lines = text.lines().map(str::trim);
        let line = lines
            .find(|line| !line.is_empty())
            .filter(|_| !text.contains("DATA RACE"));
        let broken = line.map(|line| {
            let shown = cut(&visible(line.as_bytes()), 60);
            PRINTS.says(format!("it prints, instead of using `Logf`: {shown}"))
        });
        ledger.check(call.number, call.provenance, broken);
    }
}
