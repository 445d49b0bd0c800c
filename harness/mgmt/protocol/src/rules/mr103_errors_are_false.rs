//! # On an error, `CheckApply` returns `(false, err)`
//!
//! ## What it requires
//! `CheckApply` never returns `(true, err)`. An apply that failed returns an error, and not `(false, nil)`.
//!
//! ## Why
//! The engine calls `(true, err)` a programming error. After `(false, nil)` it takes the state for right,
//! and runs what depends on it.
//!
//! ## How it is judged
//! - Judged: each call; calls in which a write or a command of `[fake]` fails, if the next call finds
//!   the state wrong, and the second call of an undisturbed run does not.
//! - Judged: an apply while `{dir}` is read-only, full or forbidden, or while its file may not be read,
//!   if it leaves as it is what an undisturbed one changes.
//! - Not judged: what a resource does without its commands if it says that all was right.
//!
//! ## Example
//! `return true, errors.New("cannot read the file")`
//!
//! ## How to fix
//! Return `false, err` wherever the error is not nil. Look at the result of each call, such as
//! `cmd.Run()`.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::phase;
use crate::reads::APPLIES;
use crate::session::{Call, Session};
use crate::settled::changes_again;
use crate::visit::fate;
use stickler_judge::{Check, Defect, Group, Ledger, Relation, Role, RunPlace, Variant};
use stickler_reading::within;
use stickler_reading::words::visible;
use stickler_transcript::{Change, Fate, Purpose};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(APPLIES, check),
    Check::Group(&[Relation::WRITE, Relation::COMMANDS], failed),
    Check::Group(&[Relation::PROTECT], refused),
];

/// It says nothing of a failure.
const SILENT: Variant = Variant::new("silent");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session
        .calls(phase::CHECKAPPLY)
        .filter(|call| call.returns())
    {
        let broken = call
            .error()
            .filter(|_| call.ok() == Some(true))
            .map(|error| format!("it returned `true` with an error: {error}"));
        ledger.check(call.number, call.provenance, broken);
    }
}

fn failed(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, usual)) = group.baseline() else {
        return;
    };
    // A state that no second call finds right is wrong without any failure.
    let second = usual.checked(Purpose::EVALUATE, 2).find_map(fate);
    if second.is_some_and(|second| second != Fate::Unchanged) {
        return;
    }
    for (_, index, session) in group.variants() {
        for call in session.calls(phase::CHECKAPPLY) {
            let Some(what) = fails_in(session, call) else {
                continue;
            };
            let mut later = session
                .calls(phase::CHECKAPPLY)
                .filter(|one| one.number > call.number);
            let Some(next) = later.next().filter(|_| call.returns()) else {
                continue;
            };
            if changes_again(session, call) {
                continue;
            }
            let place = RunPlace::at(index, call.number);
            if !call.succeeds() || fate(next) != Some(Fate::Changed) {
                ledger.check_at(place, call.provenance, None::<Defect>);
                continue;
            }
            let defect = SILENT.says(format!(
                "a {what} fails, it returns no error, and the state is wrong afterwards"
            ));
            let finding = ledger
                .finding_at(place, defect)
                .also(RunPlace::at(index, next.number));
            ledger.report(finding.graded(call.provenance));
        }
    }
}

/// What the harness lets fail in a call.
fn fails_in(session: &Session, call: &Call) -> Option<&'static str> {
    let mut groups = session.case().groups.iter();
    let commands_fail =
        groups.any(|one| one.relation == Relation::COMMANDS && !one.role.is_reference());
    match call.failed_write() {
        Some(_) => Some("write"),
        // A command that says "no" may say that all is right.
        None if commands_fail && !call.key.is(Purpose::AFTER) => {
            (fate(call) != Some(Fate::Unchanged)).then_some("command")
        }
        None => None,
    }
}

fn refused(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, usual)) = group.baseline() else {
        return;
    };
    // An old file may be all that a resource asks for.
    let apart = [Role::Again, Role::FullOld];
    let variants = group.variants();
    for (role, index, session) in variants.filter(|one| !apart.contains(one.0)) {
        for call in session.calls(phase::CHECKAPPLY) {
            let done = usual.exchange(&call.key);
            let done = done.filter(|done| fate(done) == Some(Fate::Changed));
            let (Some(done), Some(now), true) = (done, call.all_effects(), call.returns()) else {
                continue;
            };
            let in_scratch = |change: &&Change| {
                let mut dirs = usual.case().dirs.iter();
                dirs.any(|dir| within(&change.path, dir))
            };
            let mut wanted = done.effects.iter().flatten().filter(in_scratch);
            // What it may not read it may replace.
            let (why, left) = match role {
                Role::Unreadable => (
                    "it may not read its file",
                    wanted.next().filter(|_| now.is_empty()),
                ),
                _ => (
                    "the target refuses writes",
                    wanted.find(|change| !is_done(change, now)),
                ),
            };
            let broken = left.filter(|_| call.succeeds()).map(|change| {
                let path = visible(&change.path);
                SILENT.says(format!(
                    "{why}, it returns no error, and {path} is not as it has to be"
                ))
            });
            let place = RunPlace::at(index, call.number);
            ledger.check_at(place, call.provenance, broken);
        }
    }
}

/// Is a change among those that were made? An empty file is only the begin of one.
fn is_done(change: &Change, made: &[Change]) -> bool {
    let size = |change: &Change| change.after.as_ref().map_or(0, |entry| entry.size);
    let mut same = made.iter().filter(|one| one.path == change.path);
    same.any(|one| size(one) > 0 || size(change) == 0)
}
