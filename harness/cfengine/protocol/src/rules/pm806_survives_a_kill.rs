//! # After a kill, a second run reaches the usual end state
//!
//! ## What it requires
//! After a kill at any time, a second run of the same promise answers `repaired` or `kept` and
//! reaches the state of an undisturbed run.
//!
//! ## Why
//! Machines lose power, and agents get killed. A half-written file that looks finished, or a
//! lock that nobody removes, keeps the promise broken for good.
//!
//! ## How it is judged
//! - Judged: the answers and the end state of `{dir}` in a second process. The suite kills the
//!   first one after header or validation, by the clock, and before file-changing calls.
//! - Not judged: temporary files and folders (PM805); a new file, or a hidden or generated
//!   folder, beside one that the promise writes; what a `[fake]` stand-in leaves half done;
//!   outcomes and states that vary between undisturbed runs.
//! - Lowered to may: only a different mode; `not_kept`, if the kill left a database's journal
//!   or a file in a hidden directory such as `.git`.
//!
//! ## Example
//! A module writes the file in place and skips files that exist. Killed in the middle, it
//! leaves half a file and calls it `kept`.
//!
//! ## How to fix
//! Write a temporary file in the same directory, flush it to the disk, then rename it.
//! - Python: `file.flush(); os.fsync(file.fileno())`, close, `os.replace(new, path)`
//! - Shell: `sync -- "$new" && mv -f -T -- "$new" "$file"`. C: `fsync`, `rename`.
//! - Trees: build them under another name. Locks: `flock`, which ends with the process.
//! - Compare content, not existence.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" and "Results".

use crate::aftermath::may_hit_stand_in;
use crate::compare::scratch_state;
use crate::output::call_words;
use crate::partner::{
    at, end_differences, end_words, graded, hangs, lost, read_alike, settles, unanswered,
};
use crate::phase;
use crate::session::{Ended, Exchange, Session};
use crate::temporary::{folder, from_the_top, is_in_hidden, journal_of, name};
use crate::volatile::Volatile;
use crate::words::{cut, visible};
use std::collections::{BTreeMap, BTreeSet};
use stickler_judge::{Check, Finding, Group, Ledger, Relation, Role, Variant};
use stickler_transcript::{Call, Entry, FileType, Key, Level, Phase};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::KILL], check)];

/// The second process ends without an answer.
const EXITS: Variant = Variant::new("exits");
/// The second process does not answer in time.
const HANGS: Variant = Variant::new("hangs");
/// The second run answers something else.
const OTHER_RESULT: Variant = Variant::new("other-result");
/// The end state is another one.
const OTHER_STATE: Variant = Variant::new("other-state");
/// Only modes differ in the end.
const OTHER_MODE: Variant = Variant::new("other-mode");

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    let unstable = crate::compare::unstable(group);
    let volatile = Volatile::of(group);
    let states: Vec<State> = group
        .variants()
        .map(|(_, _, one)| scratch_state(one))
        .collect();
    for (_, index, variant) in group.variants().filter(|variant| *variant.0 != Role::Again) {
        if !variant.processes.iter().any(|process| process.killed) {
            continue;
        }
        let Some(first) = second_run(variant) else {
            continue;
        };
        match run(baseline, variant, first, &unstable, (index, ledger)) {
            Outcome::Broken(finding) => {
                ledger.report(*finding);
                continue;
            }
            Outcome::Unknown => continue,
            Outcome::Sound => {}
        }
        let last = variant.evaluations().last();
        let now = scratch_state(variant);
        let whole = !baseline.is_truncated() && !variant.is_truncated();
        let compared = whole && settles(baseline) && read_alike(baseline, variant);
        let mine = |path: &[u8]| !variant.is_foreign(path) || !may_hit_stand_in(variant);
        let differs = if compared && same_promises(baseline, variant) {
            end_differences(baseline, variant, &volatile)
                .find(|path| mine(path) && !is_stray(path, baseline, variant, &states))
                .map(|path| (path, OTHER_STATE, Level::Must))
                // A promise is seldom about the mode alone.
                .or_else(|| {
                    let lost = lost(baseline, &now, &volatile, mine)?;
                    Some((lost.path, OTHER_MODE, Level::May))
                })
        } else {
            None
        };
        let place = last.map_or(ledger.place(None), |last| at(index, last));
        let Some((path, kind, level)) = differs else {
            ledger.passes.push(place);
            continue;
        };
        let mut finding = ledger
            .finding_at(
                place,
                kind.says(format!(
                    "after a kill{} and a second run, {}",
                    before_what(variant),
                    end_words(&path, baseline, variant)
                )),
            )
            .expected("the end state of an undisturbed run")
            .at_most(level);
        finding = showing_kill(finding, index, variant);
        if let Some(last) = last {
            finding = finding.graded(last.provenance);
        }
        if let Some(last) = baseline.evaluations().last() {
            finding = finding.also(at(partner, last));
        }
        ledger.report(finding);
    }
}

/// The call before which the kill came, if that is known.
fn stopped_at(variant: &Session) -> Option<&Call> {
    variant
        .exchanges
        .iter()
        .find_map(|exchange| exchange.stopped_at())
}

/// Before which call the kill came, in words.
fn before_what(variant: &Session) -> String {
    stopped_at(variant).map_or_else(String::new, |call| {
        format!(" before {}", call_words(call, variant.case()))
    })
}

/// Adds the killed evaluation to the evidence: its effects are what the kill left behind.
fn showing_kill(finding: Finding, index: usize, variant: &Session) -> Finding {
    let mut exchanges = variant.exchanges.iter();
    match exchanges.find(|exchange| exchange.ended == Ended::Killed) {
        Some(killed) => finding.also(at(index, killed)),
        None => finding,
    }
}

/// What is in the scratch directories at the end of a session.
type State = BTreeMap<Vec<u8>, Entry>;

/// Is this a file that an undisturbed run does not have, or does it lie in such a folder with a
/// hidden or generated name, beside something that the run makes? The killed process was probably
/// about to rename it.
fn is_stray(path: &[u8], baseline: &Session, variant: &Session, states: &[State]) -> bool {
    let (usual, now) = (scratch_state(baseline), scratch_state(variant));
    let file = |kind| matches!(kind, FileType::File | FileType::Link);
    if usual.contains_key(path) {
        return false;
    }
    let is_beside = |path: &[u8], directories: bool| {
        baseline
            .exchanges
            .iter()
            .flat_map(|exchange| exchange.effects.iter().flatten())
            .filter(|change| folder(&change.path) == folder(path))
            .filter_map(|change| change.after.as_ref())
            .any(|entry| file(entry.kind) || directories && entry.kind == FileType::Directory)
    };
    if now.get(path).is_some_and(|entry| file(entry.kind)) && is_beside(path, false) {
        return true;
    }
    // The topmost new folder has the name that the process made up.
    let top = from_the_top(path).find(|top| now.contains_key(*top) && !usual.contains_key(*top));
    top.is_some_and(|top| {
        let is_folder = now
            .get(top)
            .is_some_and(|it| it.kind == FileType::Directory);
        let is_hidden = name(top).starts_with(b".");
        is_folder && (is_hidden || is_generated(top, states)) && is_beside(top, true)
    })
}

/// Did other killed processes leave the same name with other letters at its end?
fn is_generated(path: &[u8], states: &[State]) -> bool {
    states.iter().flat_map(BTreeMap::keys).any(|other| {
        let alike = path.iter().zip(other).take_while(|(a, b)| a == b).count();
        let rest = path.len() - alike;
        let is_word = |text: &[u8]| {
            text.iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        other.len() == path.len()
            && (4..=16).contains(&rest)
            && is_word(&path[alike..])
            && is_word(&other[alike..])
    })
}

/// Did the kill leave a tool's own working files: a journal, or files in a hidden directory?
fn tool_is_stuck(baseline: &Session, variant: &Session) -> bool {
    if baseline.is_truncated() {
        return false;
    }
    let (usual, now) = (scratch_state(baseline), scratch_state(variant));
    let there = |path: &[u8]| usual.contains_key(path) || now.contains_key(path);
    let is_journal = |path: &[u8]| journal_of(path).is_some_and(there);
    now.keys()
        .filter(|path| !usual.contains_key(&path[..]))
        .any(|path| is_journal(path) || is_in_hidden(path))
}

enum Outcome {
    Sound,
    Broken(Box<Finding>),
    Unknown,
}

/// The process that runs after the killed one.
fn second_run(variant: &Session) -> Option<usize> {
    let killed = variant
        .processes
        .iter()
        .position(|process| process.killed)?;
    variant
        .exchanges
        .iter()
        .map(|exchange| exchange.process)
        .find(|process| *process > killed)
}

/// Does the second run answer as an undisturbed run does?
fn run(
    baseline: &Session,
    variant: &Session,
    process: usize,
    unstable: &BTreeSet<Key>,
    (index, ledger): (usize, &Ledger),
) -> Outcome {
    let before = before_what(variant);
    let mut reached = false;
    for exchange in variant.exchanges.iter().filter(|e| e.process == process) {
        let Some(usual) = usual(baseline, exchange).filter(|usual| !unstable.contains(&usual.key))
        else {
            continue;
        };
        let defect = if let Some(words) = unanswered(exchange) {
            let silent = if hangs(exchange) { HANGS } else { EXITS };
            silent.says(format!(
                "after a kill{before}, {} gets {words}",
                phase(exchange)
            ))
        } else {
            let wanted: &[&str] = match exchange.phase {
                phase::VALIDATE if usual.is("valid") => &["valid"],
                phase::EVALUATE if usual.is("repaired") || usual.is("kept") => {
                    &["repaired", "kept"]
                }
                _ => continue,
            };
            let Some(result) = exchange.result() else {
                return Outcome::Unknown;
            };
            if wanted.iter().any(|wanted| exchange.is(wanted)) {
                reached |= exchange.phase == phase::EVALUATE;
                continue;
            }
            OTHER_RESULT.says(format!(
                "after a kill{before}, {} is `{}`",
                phase(exchange),
                cut(&visible(result), 40)
            ))
        };
        let mut finding = ledger
            .finding_at(at(index, exchange), defect)
            .expected("repaired or kept in the second run");
        finding = showing_kill(finding, index, variant);
        if exchange.is("not_kept") && tool_is_stuck(baseline, variant) {
            finding = finding.at_most(Level::May);
        }
        return Outcome::Broken(Box::new(graded(finding, exchange)));
    }
    if reached {
        Outcome::Sound
    } else {
        Outcome::Unknown
    }
}

fn phase(exchange: &Exchange) -> &'static str {
    match exchange.phase {
        phase::HEADER => "the header",
        phase::VALIDATE => "the validation",
        phase::EVALUATE => "the evaluation",
        _ => "the request",
    }
}

/// The same exchange of the undisturbed run, if it was answered.
fn usual<'s>(baseline: &'s Session, exchange: &Exchange) -> Option<&'s Exchange> {
    baseline
        .exchanges
        .iter()
        .find(|usual| {
            usual.phase == exchange.phase
                && usual.item == exchange.item
                && !matches!(usual.phase, phase::TERMINATE | Phase::OTHER)
        })
        .filter(|usual| usual.ended == Ended::Answered)
}

/// Are the same promises evaluated in both?
fn same_promises(baseline: &Session, variant: &Session) -> bool {
    fn promises(session: &Session) -> BTreeSet<Option<&str>> {
        session
            .evaluations()
            .map(|exchange| exchange.item.as_deref())
            .collect()
    }
    promises(baseline) == promises(variant)
}
