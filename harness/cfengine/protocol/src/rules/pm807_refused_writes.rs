//! # If a write fails, the module answers `not_kept` and leaves nothing half done
//!
//! ## What it requires
//! If a write fails, the module does not crash, answers `not_kept` and changes nothing.
//!
//! ## Why
//! Full disks and read-only mounts are ordinary. An empty file instead of the old one is worse than
//! no change, and `repaired` hides it.
//!
//! ## How it is judged
//! - Judged: promises that an undisturbed session repairs, while `{dir}` is read-only, full or
//!   forbidden, or one file-changing call or the `[fake]` commands fail.
//! - Judged: `repaired` that loses an unreadable file, or that follows from a failed question (exit code 70).
//! - Required: with `repaired` or `kept` the usual end state, else no lost and no extra file. No
//!   `error` if all of `{dir}` refuses writes. Later, without failures, the usual end state.
//! - Not judged: changes that succeed anyway; files that only a stand-in writes; a missing error
//!   message (PM504). For `repaired` and `kept` after a failed call: hidden directories and, with a
//!   warning, files that no promise names.
//! - Lowered to should: all but `repaired` without the change that the promise names; to may: only
//!   a different mode; after `not_kept`, only new files of the promise.
//!
//! ## Example
//! `open(path, "w")` empties a file, then the write fails.
//!
//! ## How to fix
//! Write a new file, check each step, rename it last. On failure, remove it and log: `not_kept`.
//! - Shell: `printf '%s\n' "$text" >"$new" && mv -f -T -- "$new" "$file"`, and no `set -e`.
//! - Python: `except OSError as e: …` around all of it. C: check `fclose`, too. Several files:
//!   prepare all, then rename all. A check that cannot run: `not_kept`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (not_kept: could not be fixed).

mod commands;
mod left;
mod made_up_for;
mod unreadable;

use crate::compare::{scratch_state, scratch_state_after};
use crate::failure;
use crate::logs;
use crate::output::{call_words, exit_words};
use crate::partner::{Lost, at, graded, hangs, lost, read_alike, settles};
use crate::phase;
use crate::session::{Ended, Exchange, Session};
use crate::temporary::{is_in_hidden, is_promised, looks_temporary, name, promised_texts};
use crate::volatile::Volatile;
use crate::warn::words as effect_words;
use crate::words::{cut, shown, visible};
use left::{file_more, gone, left_beside, left_over, own_changes, target_first};
use stickler_judge::{Check, Defect, Group, Ledger, Relation, Role, Variant, is_own_file};
use stickler_reading::within;
use stickler_transcript::{Change, ChangeKind, Event, ExitCause, FileType, Level, Protection};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(&[Relation::PROTECT], tier),
    Check::Session(&[Relation::PROTECT], unanswered_by_itself),
    Check::Group(&[Relation::PROTECT], closed),
    Check::Group(&[Relation::PROTECT], unreadable::unreadable),
    Check::Group(&[Relation::WRITE], single),
    Check::Group(&[Relation::COMMANDS], commands::commands),
    Check::Group(
        &[Relation::WRITE, Relation::COMMANDS],
        made_up_for::made_up_for,
    ),
];

/// The process ends.
const EXITS: Variant = Variant::new("exits");
/// There is no answer in time.
const HANGS: Variant = Variant::new("hangs");
/// `repaired` or `kept`, and something is missing.
const HIDES: Variant = Variant::new("hides-failure");
/// `error` in place of `not_kept`.
const ERROR: Variant = Variant::new("answers-error");
/// A file is deleted and not replaced.
const LOSES: Variant = Variant::new("loses-file");
/// A file is begun or emptied.
const HALF_DONE: Variant = Variant::new("half-done");
/// An extra file stays behind.
const EXTRA_FILE: Variant = Variant::new("extra-file");
/// Only a mode is not set.
const OTHER_MODE: Variant = Variant::new("other-mode");

/// Skips tiers that cannot make the target read-only.
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

/// A campaign has no undisturbed session to compare with: what ends without an answer is wrong
/// nevertheless.
fn unanswered_by_itself(session: &Session, ledger: &mut Ledger) {
    let mut groups = session.case().groups.iter();
    if !groups.any(|member| member.relation == Relation::FUZZ) {
        return;
    }
    let protected = protected(session);
    let exchanges = session.exchanges.iter();
    for exchange in exchanges.filter(|exchange| exchange.phase == phase::EVALUATE) {
        let how = match protected {
            Some((how, from)) if exchange.number >= from => how,
            _ if exchange.failed_write().is_some() => "a write fails",
            _ => continue,
        };
        if let Some(Defect { variant, message }) = unanswered(exchange) {
            let finding = ledger
                .finding(exchange.number, variant.says(format!("{how}: {message}")))
                .expected("not_kept, and an unchanged target")
                .at_most(Level::Should);
            ledger.report(graded(finding, exchange));
        }
    }
}

/// The whole target refuses writes.
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
            // A module may refuse the old file, or accept it. What counts is whether a failed
            // write loses it.
            if *role == Role::FullOld && !exchange.is("not_kept") {
                continue;
            }
            let Defect {
                variant: kind,
                message,
            } = match wrong(exchange, variant, usual) {
                None => continue,
                Some(None) => {
                    ledger.passes.push(at(index, exchange));
                    continue;
                }
                Some(Some(defect)) => defect,
            };
            let mut finding = ledger
                .finding_at(at(index, exchange), kind.says(format!("{how}: {message}")))
                .expected("not_kept, and an unchanged target")
                .also(at(partner, usual))
                .at_most(closed_level(exchange, variant, usual));
            if only_new_files(exchange, variant, usual) {
                finding = finding.at_most(Level::May);
            }
            ledger.report(graded(finding, exchange));
        }
    }
}

/// Only `repaired` without any change to what the promise names is certainly false.
fn closed_level(exchange: &Exchange, session: &Session, usual: &Exchange) -> Level {
    let texts = promised_texts(session);
    let is_false = exchange.is("repaired")
        && exchange.effects.is_some()
        && own_changes(exchange, session).next().is_none()
        && own_changes(usual, session).any(|change| is_promised(&change.path, &texts));
    if is_false { Level::Must } else { Level::Should }
}

/// The level of `repaired` if a change to this path is missing.
fn false_level(exchange: &Exchange, session: &Session, path: &[u8]) -> Level {
    let is_false = exchange.is("repaired")
        && failure::is_met(session, exchange)
        && is_promised(path, &promised_texts(session));
    if is_false { Level::Must } else { Level::Should }
}

/// The same evaluation in the undisturbed session, if it answers `repaired` there.
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
        if variant.is_truncated() || baseline.is_truncated() {
            continue;
        }
        for exchange in &variant.exchanges {
            let (Some(failed), Some(all)) = (exchange.failed_write(), writes_of(role)) else {
                continue;
            };
            let Some(usual) = repaired(baseline, exchange) else {
                continue;
            };
            let wrong = if exchange.ended != Ended::Answered {
                unanswered(exchange).map(|defect| (defect, "an answer", Level::Should))
            } else if let Some(lost) = hidden(exchange, (baseline, variant), &volatile) {
                // Modules often ignore the result of a call that only sets a mode.
                let level = if lost.mode_alone {
                    Level::May
                } else {
                    false_level(exchange, variant, &lost.path)
                };
                claims(exchange, &lost, variant).map(|defect| {
                    (
                        defect,
                        "not_kept, or the state of an undisturbed session",
                        level,
                    )
                })
            } else if exchange.is("not_kept") || exchange.is("error") {
                gone(exchange, variant, usual)
                    .map(|defect| {
                        (
                            defect,
                            "not_kept, and the file that was there before",
                            Level::Should,
                        )
                    })
                    .or_else(|| {
                        let defect = left_over(exchange, variant, usual, failed == all)?;
                        Some((defect, "not_kept, and no extra file", Level::Should))
                    })
            } else {
                None
            };
            let Some((
                Defect {
                    variant: kind,
                    message,
                },
                expected,
                level,
            )) = wrong
            else {
                ledger.passes.push(at(index, exchange));
                continue;
            };
            let what = exchange.stopped_at().map_or_else(String::new, |call| {
                format!(" ({})", call_words(call, variant.case()))
            });
            let how = format!("if file-changing call {failed} of {all}{what} fails");
            let finding = ledger
                .finding_at(at(index, exchange), kind.says(format!("{how}: {message}")))
                .expected(expected)
                .also(at(partner, usual))
                .at_most(level);
            ledger.report(graded(finding, exchange));
        }
    }
}

/// The number of calls in a session's role: 5 in `write 2 of 5 fails`.
fn writes_of(role: &Role) -> Option<u32> {
    let words = role.name().strip_prefix("write ")?.strip_suffix(" fails")?;
    words.split_once(" of ")?.1.parse().ok()
}

/// What is missing after an evaluation that answers `repaired` or `kept` though a call failed.
fn hidden(
    exchange: &Exchange,
    (baseline, variant): (&Session, &Session),
    volatile: &Volatile,
) -> Option<Lost> {
    let claims = exchange.is("repaired") || exchange.is("kept");
    if !claims || !settles(baseline) || !read_alike(baseline, variant) {
        return None;
    }
    // A warning is enough for files that no promise names, such as a backup.
    let tells = tells(exchange);
    let texts = promised_texts(variant);
    let now = scratch_state_after(variant, exchange);
    lost(baseline, &now, volatile, |path| {
        !is_in_hidden(path) && (!tells || is_promised(path, &texts))
    })
}

/// Does the answer have a message of level warning or above?
fn tells(exchange: &Exchange) -> bool {
    exchange
        .logs()
        .any(|(level, _)| matches!(logs::meant(level), Some("warning" | "error" | "critical")))
}

fn claims(exchange: &Exchange, lost: &Lost, session: &Session) -> Option<Defect> {
    let variant = if lost.mode_alone { OTHER_MODE } else { HIDES };
    Some(variant.says(format!(
        "the evaluation answers `{}`, but `{}` {}",
        cut(&visible(exchange.result()?), 40),
        shown(&lost.path, session.case(), 80),
        lost.difference
    )))
}

/// How the target refuses writes, and the number of the first exchange after that.
fn protected(session: &Session) -> Option<(&'static str, usize)> {
    let mut closed = None;
    for event in &session.transcript.events {
        match (event, closed) {
            (Event::Protected { how, .. }, _) => closed = Some(*how),
            (Event::Request(input), Some(how)) => {
                let words = match how {
                    Protection::ReadOnly => "on a read-only target",
                    Protection::Full => "on a full target",
                    Protection::Forbidden => "on a target without write permission",
                };
                return Some((words, input.exchange));
            }
            _ => {}
        }
    }
    None
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

/// Did a failed write leave only the beginning of a file that the promise makes? The next run
/// repairs that file. Nobody looks again for any other file.
fn only_new_files(exchange: &Exchange, session: &Session, usual: &Exchange) -> bool {
    let is_made = |path: &[u8]| {
        usual
            .effects
            .iter()
            .flatten()
            .any(|change| change.kind == ChangeKind::Created && change.path[..] == *path)
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

/// Why an evaluation was not answered, if that is known.
fn unanswered(exchange: &Exchange) -> Option<Defect> {
    match exchange.ended {
        Ended::Answered | Ended::Exited(ExitCause::Lost) | Ended::Killed | Ended::NoAnswer => None,
        Ended::Exited(cause) => Some(EXITS.says(format!(
            "the evaluation makes the module exit ({})",
            exit_words(cause)
        ))),
        Ended::ClosedOutput | Ended::Silent(_) => {
            let variant = if hangs(exchange) { HANGS } else { EXITS };
            Some(variant.says("the evaluation is not answered"))
        }
    }
}

/// What is wrong. `Some(None)`: nothing. `None`: unknown.
fn wrong(exchange: &Exchange, session: &Session, usual: &Exchange) -> Option<Option<Defect>> {
    if exchange.ended != Ended::Answered {
        return unanswered(exchange).map(Some);
    }
    let result = exchange.result()?;
    if result != b"not_kept" {
        let variant = match result {
            b"kept" | b"repaired" => HIDES,
            b"error" => ERROR,
            // PM402 judges results that evaluations do not have.
            _ => return None,
        };
        return Some(Some(variant.says(format!(
            "the evaluation answers `{}`, but the target refuses writes",
            cut(&visible(result), 40)
        ))));
    }
    exchange.all_effects()?;
    let texts = promised_texts(session);
    let half = own_changes(exchange, session).filter(|change| {
        use ChangeKind::{Changed, Created, Deleted, Link};
        matches!(change.kind, Created | Changed | Deleted | Link)
            && change
                .after
                .as_ref()
                .is_none_or(|after| after.kind != FileType::Directory)
            && (session.writes_itself(&change.path)
                || is_own_file(&change.path, &texts, usual)
                || is_temporary(change, session))
    });
    let half = target_first(half, &texts, usual);
    let left = || own_changes(exchange, session).find_map(|change| left_beside(change, usual));
    Some(match half {
        Some(change) => {
            let variant = match change.kind {
                _ if is_temporary(change, session) => EXTRA_FILE,
                ChangeKind::Deleted => LOSES,
                _ => HALF_DONE,
            };
            Some(variant.says(format!(
                "`not_kept`, but it {}",
                effect_words(change, session.case())
            )))
        }
        None => left().map(|beside| file_more(exchange, beside, session)),
    })
}
