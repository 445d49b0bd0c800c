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
//! - Lowered to should: it says that all is right where a command exits with 127, and finds the state wrong once
//!   the command works; it changes what is right where a command that prints what there is exits with 70.
//! - Not judged: the same with exit code 1, which may mean "no".
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
use stickler_judge::{Check, Defect, Group, Ledger, Level, Relation, Role, RunPlace, Variant};
use stickler_reading::words::visible;
use stickler_reading::{command_failed, within};
use stickler_transcript::{Change, Fate, Purpose};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(APPLIES, check),
    Check::Group(&[Relation::WRITE, Relation::COMMANDS], failed),
    Check::Group(&[Relation::PROTECT], refused),
];

/// A command that fails is taken for one that answers.
const TAKEN: Variant = Variant::new("taken-for-an-answer");
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
            if call.key.turn_of(Purpose::ASKED).is_some() {
                let place = RunPlace::at(index, call.number);
                asked(session, call, place, ledger);
                continue;
            }
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
            let (defect, level) = match what {
                Failing::Answer => (
                    TAKEN.says(
                        "a command exits with 127, as one that is missing does; that is taken for an answer: it \
                         says that all is right, and once the command works, the state is wrong",
                    ),
                    Level::Should,
                ),
                Failing::Write | Failing::Command => {
                    let what = if what == Failing::Write { "write" } else { "command" };
                    let defect = format!("a {what} fails, it returns no error, and the state is wrong afterwards");
                    (SILENT.says(defect), Level::Must)
                }
            };
            let finding = ledger
                .finding_at(place, defect)
                .at_most(level)
                .also(RunPlace::at(index, next.number));
            ledger.report(finding.graded(call.provenance));
        }
    }
}

/// The state is right, and a command that tells what there is fails.
fn asked(session: &Session, call: &Call, place: RunPlace, ledger: &mut Ledger) {
    let is_asked = command_failed(&session.transcript, call.number) && call.returns();
    if !is_asked || changes_again(session, call) {
        return;
    }
    let is_wrong = call.succeeds() && fate(call) == Some(Fate::Changed);
    let defect = is_wrong.then(|| {
        TAKEN.says(
            "a command that tells what there is exits with 70, and that is taken for an answer: it changes \
             what was right",
        )
    });
    let Some(defect) = defect else {
        return ledger.check_at(place, call.provenance, None::<Defect>);
    };
    let finding = ledger.finding_at(place, defect).at_most(Level::Should);
    ledger.report(finding.graded(call.provenance));
}

/// What the harness lets fail in a call.
#[derive(Clone, Copy, PartialEq)]
enum Failing {
    /// A write.
    Write,
    /// A command.
    Command,
    /// A command that cannot have answered a question, after which it says that all is right.
    Answer,
}

fn fails_in(session: &Session, call: &Call) -> Option<Failing> {
    let mut groups = session.case().groups.iter();
    let commands =
        groups.find(|one| one.relation == Relation::COMMANDS && !one.role.is_reference());
    match (call.failed_write(), commands) {
        (Some(_), _) => Some(Failing::Write),
        // The first call only makes what is right.
        (None, Some(commands)) if commands.role.name() == "asked" => None,
        // Of many calls, one fails, if there are so many.
        (None, Some(commands))
            if commands.role.name().starts_with("one ")
                && !command_failed(&session.transcript, call.number) =>
        {
            None
        }
        (None, Some(commands)) if !call.key.is(Purpose::AFTER) => {
            // A command that says "no" may say that all is right; one that is missing says nothing.
            let is_missing = commands.role.name().starts_with("127 ");
            match fate(call) {
                Some(Fate::Unchanged) => is_missing.then_some(Failing::Answer),
                _ => Some(Failing::Command),
            }
        }
        _ => None,
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
