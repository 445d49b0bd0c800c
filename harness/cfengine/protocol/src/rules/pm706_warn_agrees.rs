//! # Warn and a normal run agree
//!
//! ## What it requires
//! On the same state, a normal run answers `repaired` or `not_kept` if `warn` answers
//! `not_kept`, and `kept` if `warn` answers `kept`.
//!
//! ## Why
//! A dry run is a prediction. A wrong prediction is worse than none.
//!
//! ## How it is judged
//! - Judged: evaluations with and without `warn` on the same state, fresh and after a normal
//!   run.
//! - Judged: a normal run right after `warn`. Before it the suite changes or undoes one effect
//!   of the promise, edits or removes an attribute, or removes the setup or the parent
//!   directory.
//! - Not judged: other results; in the first case, outcomes that differ between two normal
//!   runs.
//!
//! ## Example
//! Under `warn` a module only checks whether the file exists. The normal run also compares
//! its content.
//!
//! ## How to fix
//! Run the same checks in both cases, in one function, and skip only the changes:
//! ```text
//! differences = compare(promise)
//! if not differences: return "kept"
//! return warning(differences) if warn else repair(differences)
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy" and "Results".

use crate::output::is_variant;
use crate::session::{Exchange, Session};
use crate::warn::{evaluations, pairs};
use crate::words::visible;
use stickler_judge::{Check, Defect, Group, Ledger, Relation, Variant};
use stickler_transcript::Purpose;

pub(super) const CHECKS: super::Checks = &[
    Check::Group(&[Relation::WARN], check),
    Check::Session(&[Relation::DRIFT, Relation::WARN], in_turn),
];

/// `kept`, though there is something to do.
const KEPT: Variant = Variant::new("kept-wrongly");
/// `not_kept`, though there is nothing to do.
const NOT_KEPT: Variant = Variant::new("not-kept-wrongly");

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for pair in pairs(group) {
        match disagreement(pair.warned, pair.normal) {
            None => {}
            Some(None) => pair.pass(ledger),
            Some(Some((defect, expected))) => {
                ledger.report(pair.finding(ledger, defect).expected(expected));
            }
        }
    }
}

/// An evaluation under `warn`, and the normal run right after it.
fn in_turn(session: &Session, ledger: &mut Ledger) {
    let is_paired = is_variant(session, &[Relation::WARN]);
    for warned in evaluations(session) {
        let key = &warned.key;
        let normal = match key.turn_of(Purpose::WARNED) {
            Some(turn) => Purpose::MENDED.turn(turn),
            None if key.is(Purpose::DRY_EVALUATE) => Purpose::EVALUATE.into(),
            None => continue,
        };
        let Some(normal) = key.label().map(|label| normal.of(label)) else {
            continue;
        };
        let Some(normal) = session.exchange(&normal) else {
            continue;
        };
        // Evaluations of the group have a partner in the baseline. If their own normal run is
        // kept, `warn` itself repaired the state. PM701 reports that if files changed.
        let unseen = warned.effects.as_ref().is_some_and(Vec::is_empty);
        if is_paired && !(unseen && normal.is("kept")) {
            continue;
        }
        match disagreement(warned, normal) {
            None => {}
            Some(None) => ledger.pass(warned.number),
            Some(Some((defect, expected))) => {
                let finding = ledger.finding(warned.number, defect).expected(expected);
                let finding = finding.also(ledger.place(normal.number));
                ledger.report(finding.graded(warned.provenance));
            }
        }
    }
}

/// How two answers disagree, and what the first should be. `Some(None)`: they agree.
/// `None`: the answers cannot be compared.
fn disagreement(warned: &Exchange, normal: &Exchange) -> Option<Option<(Defect, &'static str)>> {
    let normal = normal.result()?;
    if !matches!(normal, b"kept" | b"repaired" | b"not_kept") {
        return None;
    }
    let warned = warned.result()?;
    let (variant, wrong, expected) = match warned {
        b"kept" => (KEPT, normal != b"kept", "not_kept"),
        b"not_kept" => (NOT_KEPT, normal == b"kept", "kept"),
        _ => return None,
    };
    let message = format!(
        "`{}` under warn, but `{}` in a normal run",
        visible(warned),
        visible(normal)
    );
    Some(wrong.then(|| (variant.says(message), expected)))
}
