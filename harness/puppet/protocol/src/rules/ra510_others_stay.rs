//! # `set` leaves other resources unchanged
//!
//! ## What it requires
//! `set` changes only the resources of its changes. The other rows of `get` stay unchanged.
//!
//! ## Why
//! The user did not ask for other changes, and no report shows them.
//!
//! ## How it is judged
//! - Judged: all rows before and after a `set`, without those of its changes. If every `get` has a
//!   filter: whether an example has to be set again after a similar one.
//! - Not judged: values of read_only attributes; calls of `set` that fail.
//!
//! ## Example
//! `set` rewrites the file with only the resources of its changes.
//!
//! ## How to fix
//! Read the file, change only the affected part, and write the rest back unchanged.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::after::is_outdated;
use crate::backends::commands_fail;
use crate::near::Likeness;
use crate::others::{Aside, asides};
use crate::purpose;
use crate::reads::{AMONG_OTHERS, UNENDED};
use crate::relation;
use crate::rows::{evaluations, reads};
use crate::session::Session;
use stickler_judge::{Check, Ledger, Relation, View as _};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[Check::Session(UNENDED, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    if commands_fail(session) {
        return;
    }
    in_turns(session, ledger);
    for aside in asides(session) {
        let Some(first) = aside.differences.first() else {
            ledger.pass(aside.set.number);
            continue;
        };
        if is_for_their_names(session, &aside) {
            continue;
        }
        let in_run = match aside.set.key.is(purpose::RUN) {
            true => " (puppet-resource_api 2.0 asks `get` once for the resources of a run)",
            false => "",
        };
        let finding = ledger.finding(aside.set.number, format!("{}{in_run}", first.in_words));
        // The same difference elsewhere has the same cause.
        ledger.report(finding.telling().graded(aside.set.provenance));
    }
}

/// Are only resources with similar names harmed, and is there no other? RA522 judges that, where there is one.
fn is_for_their_names(session: &Session, aside: &Aside<'_>) -> bool {
    let mut groups = session.case().groups.iter();
    let mut lost = aside.differences.iter();
    groups.any(|member| [Relation::NEAR, relation::TOGETHER].contains(&member.relation))
        && session.case().tier != "none"
        && aside.kept.is_empty()
        && lost.all(|one| !one.is_new && aside.likeness(&one.row) != Likeness::Far)
}

/// One resource is set, then a similar one, then the first again, which must already hold.
fn in_turns(session: &Session, ledger: &mut Ledger) {
    let mut groups = session.case().groups.iter();
    if !groups.any(|member| AMONG_OTHERS.contains(&member.relation)) {
        return;
    }
    let [
        (_, first, Fate::Changed),
        (_, other, Fate::Changed),
        (_, again, last),
    ] = evaluations(session)[..]
    else {
        return;
    };
    let Some(item) = session.item(first) else {
        return;
    };
    let is_filtered = reads(session).all(|read| {
        read.call
            .param("names")
            .is_some_and(|names| !names.is_nil())
    });
    let is_expected = item.expect.last().is_some_and(|last| last == "changed");
    if is_outdated(session, again)
        || !is_filtered
        || is_expected
        || first.item != again.item
        || last == Fate::Failed
    {
        return;
    }
    let broken = (last == Fate::Changed).then(|| {
        format!(
            "a `set` of another resource undid \"{}\": it has to be set again",
            item.example
        )
    });
    ledger.check(other.number, other.provenance, broken);
}
