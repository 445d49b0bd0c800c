//! # Warn and a normal run agree
//!
//! ## What it requires
//! What an evaluation with `action_policy` warn calls `not_kept`, a normal one on
//! the same state repairs, or fails to; what warn calls `kept`, the normal one
//! keeps.
//!
//! ## Why
//! A dry run is a prediction. One that is wrong is worse than none.
//!
//! ## How it is judged
//! The same promise is evaluated with and without `warn`, on a fresh state and
//! after a normal run, and normally right after the warning. Outcomes that differ between two normal runs are left out.
//! Then a file that it made, or else a directory, is changed in one thing at a time (its
//! mode, a file's content and being there), warned of, and mended. Where it did several
//! things, one after the other is taken back, warned of, and mended. And the promise is
//! edited in one attribute after the other, and warned of and mended without its setup, without one of its attributes, and in a folder
//! that is missing.
//!
//! ## Example
//! Under `warn` a module only looks whether the file exists; the normal run
//! compares its content as well.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy" and "Results".

use stickler_judge::{Relation};
use crate::output::is_variant;
use crate::session::{Exchange, Session};
use crate::warn::{evaluations, pairs};
use crate::words::visible;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks =
    &[Check::Group(&[Relation::Warn], check), Check::Session(in_turn)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for pair in pairs(group) {
        match disagreement(pair.warned, pair.normal) {
            None => {}
            Some(None) => pair.pass(ledger),
            Some(Some((message, expected))) => {
                ledger.report(pair.finding(ledger, message).expected(expected));
            }
        }
    }
}

/// A warning, and the normal run right after it.
fn in_turn(session: &Session, ledger: &mut Ledger) {
    let is_paired = is_variant(session, &[Relation::Warn]);
    for warned in evaluations(session) {
        let Some((kind, label)) = warned.key.split_once(':') else {
            continue;
        };
        let normal = match kind.strip_prefix("warned") {
            Some(number) => format!("mended{number}:{label}"),
            None if kind == "we" => format!("e:{label}"),
            None => continue,
        };
        let Some(normal) = session.exchange(&normal) else {
            continue;
        };
        // Those of the group have a partner of their own. What is kept in their normal run
        // was set right by the warning: where files show it, PM701 says so.
        let unseen = warned.effects.as_ref().is_some_and(Vec::is_empty);
        if is_paired && !(unseen && normal.is("kept")) {
            continue;
        }
        match disagreement(warned, normal) {
            None => {}
            Some(None) => ledger.pass(warned.number),
            Some(Some((message, expected))) => {
                let finding = ledger.finding(warned.number, message).expected(expected);
                ledger.report(finding.graded(warned.provenance));
            }
        }
    }
}

/// How two answers disagree, and what the first should be; `Some(None)`: they agree.
/// `None`: it cannot be said.
fn disagreement(
    warned: &Exchange,
    normal: &Exchange,
) -> Option<Option<(String, &'static str)>> {
    let normal = normal.result()?;
    if !matches!(normal, b"kept" | b"repaired" | b"not_kept") {
        return None;
    }
    let warned = warned.result()?;
    let (wrong, expected) = match warned {
        b"kept" => (normal != b"kept", "not_kept"),
        b"not_kept" => (normal == b"kept", "kept"),
        _ => return None,
    };
    let message = format!(
        "under warn it is `{}`, in a normal run `{}`",
        visible(warned),
        visible(normal)
    );
    Some(wrong.then_some((message, expected)))
}
