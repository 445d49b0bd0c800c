//! # Where it may not write, the module says so and leaves nothing half done
//!
//! ## What it requires
//! Where the target is read-only, has no space left or belongs to somebody else, a
//! promise that needs a change is `not_kept`. The module does not claim success,
//! does not crash, and leaves the target as it was. Nor does it claim success, or
//! crash, where a single call fails, nor leave a file more.
//!
//! ## Why
//! Full disks and read-only mounts are ordinary. An empty file in the place of the
//! old one is worse than no change, and `repaired` hides it.
//!
//! ## How it is judged
//! A promise that an undisturbed session repairs by writing to its scratch
//! directory is evaluated with that directory closed for writing, in three ways. A
//! module that succeeds in spite of it is not judged, nor what becomes of a file
//! that the promise does not name, in a tree that a tool keeps, or that a stand-in for a
//! command alone writes to. That `not_kept` comes with an
//! error message is PM504's matter. Besides, the calls of an evaluation that change
//! files fail one at a time, as on a broken disk: an answer that is `repaired` or
//! `kept` then needs the state of an undisturbed session, but for files that no promise
//! names, such as a backup, where a warning tells of them, and what lies in a hidden
//! directory such as `.git`. With `not_kept` or `error`, what was there before may not be gone, and
//! no file more may be left, unless the call that fails is the one that would take it away.
//!
//! Where the author stands in for commands, these fail, too, from the first call on or a later
//! one. `repaired` then needs all that an undisturbed session makes or takes away, unless a
//! warning tells of it, and where the commands cannot be run at all, `kept` is wrong for what
//! an undisturbed session repairs: a should.
//!
//! After `not_kept` or `error` the call or the commands work again, and the promise is evaluated
//! anew. `repaired` or `kept` then needs what an undisturbed session brings about; `kept` where
//! commands failed also that one of them is run, since what they tell others of, such as a
//! service, may leave no trace. After a call that failed, it may not be `not_kept` again. A should.
//!
//! ## Example
//! `open(path, "w")` empties the file, and the write then fails on a full disk.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (not_kept: could not be fixed).

mod made_up_for;

use stickler_judge::{Relation, Role, Variation};
use crate::phase;
use crate::compare::{scratch_state, scratch_state_after};
use crate::effects::{comes_after_failure, within};
use crate::logs;
use crate::output::{call_words, exit_words};
use crate::partner::{Lost, Volatile, at, graded, lost, plain, read_alike, settles};
use crate::session::{Ended, Exchange, Session};
use crate::temporary::{
    folder, is_in_hidden, is_own_file, is_promised, journal_of, lies_in_temporary, looks_temporary,
    name, promised_texts,
};
use crate::warn::words as effect_words;
use crate::words::{cut, shown, visible};
use stickler_judge::{Check, Group, Ledger};
use stickler_transcript::{
    Change, ChangeKind, Event, ExitCause, FileType, Level, Protection,
};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(tier),
    Check::Group(&[Relation::Protect], closed),
    Check::Group(&[Relation::Write], single),
    Check::Group(&[Relation::Commands], commands),
    Check::Group(&[Relation::Write, Relation::Commands], made_up_for::made_up_for),
];

/// The role of sessions in which a shell would find no command.
const NONE_RUNS: Role = Role::NoneRuns;
/// The role of sessions in which there is none.
const NONE_THERE: Role = Role::Absent;

/// In tiers without file systems of their own, modes have to do.
fn tier(session: &Session, ledger: &mut Ledger) {
    let case = session.case();
    if !session
        .evaluations()
        .any(|exchange| exchange.is("repaired"))
    {
        return;
    }
    if let Some(lack) = case.lacks.iter().find(|lack| lack.contains("read-only")) {
        ledger.skip(format!("the sandbox tier `{}` lacks {lack}", case.tier));
    }
}

/// The whole target is closed for writing.
fn closed(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    for (role, index, variant) in group.variants() {
        let Some((how, from)) = protected(variant) else {
            continue;
        };
        for exchange in &variant.exchanges {
            if exchange.phase != phase::EVALUATE || exchange.number < from {
                continue;
            }
            let Some(usual) = repaired(baseline, exchange) else {
                continue;
            };
            if !writes(usual, baseline) || succeeded(usual, variant) {
                continue;
            }
            // A module may refuse what lies there, or be content with it: what counts
            // is whether a failed write loses it.
            if *role == Role::FullOld && !exchange.is("not_kept") {
                continue;
            }
            let message = match wrong(exchange, variant, usual) {
                None => continue,
                Some(None) => {
                    ledger.passes.push(at(index, exchange));
                    continue;
                }
                Some(Some(message)) => message,
            };
            let mut finding = ledger
                .finding_at(at(index, exchange), format!("{how}: {message}"))
                .expected("not_kept, and the target as it was")
                .also(at(partner, usual));
            if only_new_files(exchange, variant, usual) {
                finding = finding.at_most(Level::May);
            }
            ledger.report(graded(finding, exchange));
        }
    }
}

/// What an undisturbed session repairs where this evaluation is disturbed.
fn repaired<'s>(baseline: &'s Session, exchange: &Exchange) -> Option<&'s Exchange> {
    let usual = baseline.exchange(&exchange.key);
    usual.filter(|usual| usual.is("repaired"))
}

/// One call fails.
fn single(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    let volatile = Volatile::of(group);
    for (role, index, variant) in group.variants() {
        for exchange in &variant.exchanges {
            let (Some(failed), Some(all)) = (exchange.failed_write(), writes_of(role)) else {
                continue;
            };
            let Some(usual) = repaired(baseline, exchange) else {
                continue;
            };
            let wrong = if exchange.ended != Ended::Answered {
                failed_words(exchange).map(|words| (words, "an answer", Level::Must))
            } else if let Some(lost) = hidden(exchange, (baseline, variant), &volatile) {
                // What sets a mode alone is often left unasked.
                let level = if lost.mode_alone { Level::May } else { Level::Must };
                claims(exchange, &lost, variant)
                    .map(|words| (words, "not_kept, or the state of an undisturbed session", level))
            } else if exchange.is("not_kept") || exchange.is("error") {
                // Who answers `error` does not call it done.
                let level = if exchange.is("error") { Level::Should } else { Level::Must };
                gone(exchange, variant, usual)
                    .map(|words| (words, "not_kept, and what was there before", level))
                    .or_else(|| {
                        let words = left_over(exchange, variant, usual, failed == all)?;
                        Some((words, "not_kept, and no file more", level))
                    })
            } else {
                None
            };
            let Some((message, expected, level)) = wrong else {
                ledger.passes.push(at(index, exchange));
                continue;
            };
            let what = exchange.stopped_at().map_or_else(String::new, |call| {
                format!(" ({})", call_words(call, variant.case()))
            });
            let how = format!("where call {failed} of {all} that change files{what} fails");
            let finding = ledger
                .finding_at(at(index, exchange), format!("{how}: {message}"))
                .expected(expected)
                .also(at(partner, usual))
                .at_most(level);
            ledger.report(graded(finding, exchange));
        }
    }
}

/// The commands that a promise is carried out with fail.
fn commands(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    if !settles(baseline) {
        return;
    }
    let volatile = Volatile::of(group);
    for (role, index, variant) in group.variants() {
        let mut promises = variant.case().items.iter();
        let Some(promise) = promises.find(|p| p.variation == Some(Variation::Commands)) else {
            continue;
        };
        let usual = plain(baseline, promise, phase::EVALUATE);
        let Some(usual) = usual.filter(|usual| usual.is("repaired")) else {
            continue;
        };
        for exchange in variant.evaluations().filter(|one| !comes_after_failure(one)) {
            let quiet = exchange.effects.as_ref().is_some_and(Vec::is_empty);
            let wrong = if exchange.is("kept") && [NONE_RUNS, NONE_THERE].contains(role) {
                quiet.then(|| "`kept`, though none of its commands can be run".to_owned())
            } else if exchange.is("repaired") && !quiet && !tells(exchange) {
                // That nothing at all was done is PM803's matter.
                undone_part(usual, exchange, variant, &volatile).map(|path| {
                    let path = shown(path, variant.case(), 80);
                    format!("`repaired`, though a command failed, and `{path}` is not as it makes it")
                })
            } else {
                continue;
            };
            let Some(message) = wrong else {
                ledger.passes.push(at(index, exchange));
                continue;
            };
            let finding = ledger
                .finding_at(at(index, exchange), message)
                .expected("not_kept, or what an undisturbed session brings about")
                .also(at(partner, usual))
                .at_most(Level::Should);
            ledger.report(graded(finding, exchange));
        }
    }
}

/// A path that an undisturbed evaluation makes or takes away, and this session does not. What
/// is written to may be a list of the calls.
fn undone_part<'s>(
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
        let lacks = match change.kind {
            ChangeKind::Created => !is_there,
            ChangeKind::Deleted => !is_gone,
            _ => false,
        };
        // Another process gives another name to what is temporary.
        lacks && !volatile.covers(&change.path) && !lies_in_temporary(&change.path, &[])
    })?;
    Some(&undone.path)
}

/// How many calls a session's role speaks of: `write 2 of 5 fails`.
fn writes_of(role: &Role) -> Option<u32> {
    let words = role.name().strip_prefix("write ")?.strip_suffix(" fails")?;
    words.split_once(" of ")?.1.parse().ok()
}

/// What is missing after an evaluation in which a call failed, and which does not say so.
fn hidden(
    exchange: &Exchange,
    (baseline, variant): (&Session, &Session),
    volatile: &Volatile,
) -> Option<Lost> {
    let claims = exchange.is("repaired") || exchange.is("kept");
    if !claims || !settles(baseline) || !read_alike(baseline, variant) {
        return None;
    }
    // Of what no promise names, a backup for instance, a word to the user will do.
    let tells = tells(exchange);
    let texts = promised_texts(variant);
    let now = scratch_state_after(variant, exchange);
    lost(baseline, &now, volatile, |path| {
        !is_in_hidden(path) && (!tells || is_promised(path, &texts))
    })
}

/// Does a message warn of something?
fn tells(exchange: &Exchange) -> bool {
    exchange.logs().any(|(level, _)| {
        matches!(logs::meant(level), Some("warning" | "error" | "critical"))
    })
}

fn claims(exchange: &Exchange, lost: &Lost, session: &Session) -> Option<String> {
    Some(format!(
        "the evaluation is `{}`, though `{}` {}",
        cut(&visible(exchange.result()?), 40),
        shown(&lost.path, session.case(), 80),
        lost.difference
    ))
}

/// What an evaluation in which a call failed has taken away, and should have replaced.
fn gone(exchange: &Exchange, variant: &Session, usual: &Exchange) -> Option<String> {
    let replaced = |path: &[u8]| {
        let mut changes = usual.effects.iter().flatten();
        changes.any(|change| change.path[..] == *path && change.after.is_some())
    };
    let texts = promised_texts(variant);
    let lost = own_changes(exchange, variant).find(|change| {
        let kind = change.before.as_ref().map(|entry| entry.kind);
        change.kind == ChangeKind::Deleted
            && matches!(kind, Some(FileType::File | FileType::Link))
            && replaced(&change.path)
            && (variant.writes_itself(&change.path)
                || is_own_file(&change.path, &texts, usual))
    })?;
    let result = visible(exchange.result()?);
    Some(format!(
        "`{result}`, but it {}",
        effect_words(lost, variant.case())
    ))
}

/// What an evaluation in which a call failed leaves behind. The last call may be what would
/// clean up, once the target is written.
fn left_over(
    exchange: &Exchange,
    variant: &Session,
    usual: &Exchange,
    is_last: bool,
) -> Option<String> {
    // What would take the file away may be the very call that failed.
    let stays = |change: &&Change| {
        let call = exchange.stopped_at();
        call.is_some_and(|call| call.name.starts_with("unlink") && call.path.as_ref() == Some(&change.path))
    };
    let beside = own_changes(exchange, variant)
        .filter(|change| !stays(change))
        .find_map(|change| left_beside(change, usual))?;
    let is_written = exchange.effects.iter().flatten().any(|change| change.path[..] == *beside);
    (!is_last || !is_written).then(|| file_more(exchange, beside, variant))
}

/// Its own name may be another each time.
fn file_more(exchange: &Exchange, beside: &[u8], session: &Session) -> String {
    let result = visible(exchange.result().unwrap_or_default());
    let beside = shown(beside, session.case(), 80);
    format!("`{result}`, but it leaves a file more beside `{beside}`")
}

/// How the target is closed, and the number of the first exchange after that.
fn protected(session: &Session) -> Option<(&'static str, usize)> {
    let mut closed = None;
    for event in &session.transcript.events {
        match (event, closed) {
            (Event::Protected { how, .. }, _) => closed = Some(*how),
            (Event::Request(input), Some(how)) => {
                let words = match how {
                    Protection::ReadOnly => "on a read-only target",
                    Protection::Full => "on a full target",
                    Protection::Forbidden => "on a target that it may not write to",
                };
                return Some((words, input.exchange));
            }
            _ => {}
        }
    }
    None
}

/// Of what an evaluation changed in the scratch directories, what no stand-in for a command did.
fn own_changes<'e>(
    exchange: &'e Exchange,
    session: &'e Session,
) -> impl Iterator<Item = &'e Change> {
    let mine = |change: &&Change| in_scratch(change, session) && !session.is_foreign(&change.path);
    exchange.effects.iter().flatten().filter(mine)
}

fn in_scratch(change: &Change, session: &Session) -> bool {
    session
        .case()
        .dirs
        .iter()
        .any(|dir| within(&change.path, dir))
}

/// Does the promise need to write to the scratch directory?
fn writes(usual: &Exchange, baseline: &Session) -> bool {
    usual
        .effects
        .iter()
        .flatten()
        .any(|change| in_scratch(change, baseline))
}

/// Is everything there that an undisturbed run brings about?
fn succeeded(usual: &Exchange, variant: &Session) -> bool {
    let state = scratch_state(variant);
    usual
        .effects
        .iter()
        .flatten()
        .filter(|change| in_scratch(change, variant))
        .all(
            |change| match (&change.after, state.get(&change.path[..])) {
                (Some(wanted), Some(found)) => {
                    wanted.kind == found.kind && wanted.digest == found.digest
                }
                (None, None) => true,
                _ => false,
            },
        )
}

/// A failed write left no more than the beginning of a file that it makes? The next
/// run mends that; another file nobody will look for again.
fn only_new_files(exchange: &Exchange, session: &Session, usual: &Exchange) -> bool {
    let is_made = |path: &[u8]| {
        usual.effects.iter().flatten().any(|change| {
            change.kind == ChangeKind::Created && change.path[..] == *path
        })
    };
    exchange.is("not_kept")
        && matches!(exchange.ended, Ended::Answered)
        && own_changes(exchange, session).all(|change| {
            change.kind == ChangeKind::Created
                && is_made(&change.path)
                && !is_temporary(change, session)
        })
}

fn is_temporary(change: &Change, session: &Session) -> bool {
    let texts = promised_texts(session);
    let names: Vec<&[u8]> = texts
        .iter()
        .map(|text| name(text))
        .filter(|name| !name.is_empty())
        .collect();
    looks_temporary(&change.path, &names)
}

/// How an evaluation was not answered, where that can be said.
fn failed_words(exchange: &Exchange) -> Option<String> {
    match exchange.ended {
        Ended::Answered
        | Ended::Exited(ExitCause::Lost)
        | Ended::Killed
        | Ended::NoAnswer => None,
        Ended::Exited(cause) => Some(format!(
            "the evaluation ends the module ({})",
            exit_words(cause)
        )),
        Ended::ClosedOutput | Ended::Silent(_) => Some("the evaluation is not answered".into()),
    }
}

/// The file that the promise writes, beside which this change leaves one more: nobody will look
/// for that again.
fn left_beside<'u>(change: &Change, usual: &'u Exchange) -> Option<&'u [u8]> {
    let is_file = |change: &Change| {
        let kind = change.after.as_ref().map(|after| after.kind);
        matches!(kind, Some(FileType::File | FileType::Link))
    };
    let usual = usual.effects.iter().flatten();
    let written: Vec<&'u [u8]> = usual
        .filter(|one| is_file(one))
        .map(|one| &one.path[..])
        .collect();
    let path = &change.path[..];
    let is_made = written.contains(&path);
    // A database takes its journal back when it is opened next.
    let taken_back = journal_of(path).is_some_and(|database| written.contains(&database));
    if change.kind != ChangeKind::Created || !is_file(change) || is_made || taken_back {
        return None;
    }
    written.into_iter().find(|one| folder(one) == folder(path))
}

/// What is wrong; `Some(None)`: nothing. `None`: it cannot be said.
fn wrong(exchange: &Exchange, session: &Session, usual: &Exchange) -> Option<Option<String>> {
    if exchange.ended != Ended::Answered {
        return failed_words(exchange).map(Some);
    }
    let result = exchange.result()?;
    if result != b"not_kept" {
        return match result {
            b"kept" | b"repaired" | b"error" => Some(Some(format!(
                "the evaluation is `{}`, though what it should do cannot be done",
                cut(&visible(result), 40)
            ))),
            // No result of an evaluation: PM402.
            _ => None,
        };
    }
    exchange.effects.as_ref()?;
    let texts = promised_texts(session);
    let half = own_changes(exchange, session).find(|change| {
        use ChangeKind::{Changed, Created, Deleted, Link};
        matches!(change.kind, Created | Changed | Deleted | Link)
            && change.after.as_ref().is_none_or(|after| after.kind != FileType::Directory)
            && (session.writes_itself(&change.path)
                || is_own_file(&change.path, &texts, usual)
                || is_temporary(change, session))
    });
    let left = || {
        own_changes(exchange, session).find_map(|change| left_beside(change, usual))
    };
    Some(match half {
        Some(change) => Some(format!(
            "`not_kept`, but it {}",
            effect_words(change, session.case())
        )),
        None => left().map(|beside| file_more(exchange, beside, session)),
    })
}
