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
use crate::session::Session;
use crate::usual::same_as_usual;
use stickler_judge::{Check, Group, Ledger, Variant};
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
    same_as_usual(group, ledger, OTHERWISE, "if");
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
