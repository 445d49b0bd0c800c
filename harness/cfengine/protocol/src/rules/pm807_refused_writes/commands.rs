//! The commands that the module runs fail.

use super::{false_level, tells};
use crate::effects::comes_after_failure;
use crate::partner::{at, graded, plain, settles};
use crate::phase;
use crate::session::{Exchange, Session};
use crate::temporary::{is_modules_own, lies_in_temporary};
use crate::volatile::{Volatile, is_renamed};
use crate::words::shown;
use stickler_judge::{Defect, Group, Ledger, Role, Variant, Variation};
use stickler_reading::command_failed;
use stickler_transcript::{ChangeKind, Level, Purpose};

/// `kept`, though nothing was checked.
const HIDES_CHECK: Variant = Variant::new("hides-failed-check");
/// `repaired`, though a command failed.
const HIDES_COMMAND: Variant = Variant::new("hides-failed-command");

/// A command that fails is taken for one that finds nothing.
const TAKEN: Variant =
    Variant::new("taken-for-an-answer").titled("A command that fails is no answer to a question");

/// The role of sessions in which each command exits with 127, as if it was not found.
const NONE_RUNS: Role = Role::NoneRuns;
/// The role of sessions in which the commands do not exist.
const NONE_THERE: Role = Role::Absent;
/// The name of the role of sessions in which a command fails once all is right.
const ASKED: &str = "asked";

/// Does an evaluation claim success although its commands failed?
pub(super) fn commands(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    if !settles(baseline) || baseline.is_truncated() {
        return;
    }
    let volatile = Volatile::of(group);
    let whole = |one: &(_, usize, &Session)| !one.2.is_truncated();
    for (role, index, variant) in group.variants().filter(whole) {
        let mut promises = variant.case().items.iter();
        let Some(promise) = promises.find(|p| p.variation == Some(Variation::Commands)) else {
            continue;
        };
        let usual = plain(baseline, promise, phase::EVALUATE);
        let is_asked = role.name() == ASKED;
        let Some(usual) = usual.filter(|usual| usual.is("repaired") || is_asked) else {
            continue;
        };
        for exchange in variant
            .evaluations()
            .filter(|one| !comes_after_failure(one))
        {
            let quiet = exchange.effects.as_ref().is_some_and(Vec::is_empty);
            let wrong = if exchange.key.turn_of(Purpose::ASKED).is_some() {
                if !command_failed(&variant.transcript, exchange.number) || !stays_kept(baseline) {
                    continue;
                }
                let is_wrong = exchange.is("repaired") && !tells(exchange);
                let message = "a command that tells what there is exits with 70, and that is taken for \
                     an answer: `repaired`, though nothing was wrong";
                is_wrong.then(|| (TAKEN.says(message), Level::Should))
            } else if exchange.is("kept") && [NONE_RUNS, NONE_THERE].contains(role) {
                let defect = HIDES_CHECK.says("`kept`, but none of its commands can run");
                quiet.then_some((defect, Level::Should))
            } else if exchange.is("repaired") && !quiet && !tells(exchange) {
                // PM803 judges evaluations that change nothing at all.
                let undone = undone_part(usual, exchange, variant, &volatile).map(|path| {
                    let level = false_level(exchange, variant, path);
                    let path = shown(path, variant.case(), 80);
                    let message = format!(
                        "`repaired`, but a command failed, and the change to `{path}` is missing"
                    );
                    (HIDES_COMMAND.says(message), level)
                });
                undone.or_else(|| {
                    let defect = repaired_again(exchange, variant, baseline)?;
                    Some((defect, Level::Should))
                })
            } else {
                continue;
            };
            let Some((defect, level)) = wrong else {
                ledger.passes.push(at(index, exchange));
                continue;
            };
            let finding = ledger
                .finding_at(at(index, exchange), defect)
                .expected("not_kept, or the state of an undisturbed session")
                .also(at(partner, usual))
                .at_most(level);
            ledger.report(graded(finding, exchange));
        }
    }
}

/// `repaired` although a single command failed, and `repaired` once more when all commands work.
fn repaired_again(exchange: &Exchange, variant: &Session, baseline: &Session) -> Option<Defect> {
    let mut later = variant.evaluations();
    let after = later.find(|one| comes_after_failure(one) && one.item == exchange.item)?;
    let is_again = command_failed(&variant.transcript, exchange.number)
        && exchange.key.is(Purpose::EVALUATE)
        && after.is("repaired")
        && stays_kept(baseline);
    is_again.then(|| {
        HIDES_COMMAND.says(
            "`repaired`, but a command failed, and once it works the promise is `repaired` again",
        )
    })
}

/// Is the example `kept` once it was evaluated, each time?
fn stays_kept(baseline: &Session) -> bool {
    let mut evaluations = baseline.evaluations().skip(1).peekable();
    evaluations.peek().is_some() && evaluations.all(|one| one.is("kept"))
}

/// A path that an undisturbed evaluation creates or deletes, and this session does not. Files
/// that are only changed are ignored: they may be a list of the calls.
pub(super) fn undone_part<'s>(
    usual: &'s Exchange,
    exchange: &Exchange,
    variant: &Session,
    volatile: &Volatile,
) -> Option<&'s [u8]> {
    let state = variant.state_after(exchange);
    let mut changes = usual.effects.iter().flatten();
    let undone = changes.find(|change| {
        let now = state.get(&change.path[..]);
        let is_there = now.is_some_and(Option::is_some);
        let is_gone = matches!(now, Some(None));
        let is_usual = |path: &[u8]| {
            let mut known = usual.effects.iter().flatten();
            known.any(|one| one.path[..] == *path)
        };
        let renamed = || {
            let mut there = state.iter().filter(|(_, entry)| entry.is_some());
            there.any(|(other, _)| !is_usual(other) && is_renamed(&change.path, other))
        };
        let lacks = match change.kind {
            ChangeKind::Created => !is_there && !renamed(),
            ChangeKind::Deleted => !is_gone,
            _ => false,
        };
        // A log or a cache that only the module reads.
        let is_modules = !variant.is_foreign(&change.path) && is_modules_own(variant, &change.path);
        // Temporary files have another name in each process.
        lacks
            && !is_modules
            && !volatile.covers(&change.path)
            && !lies_in_temporary(&change.path, &[])
    })?;
    Some(&undone.path)
}
