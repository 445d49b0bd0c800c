//! # Results and contents are the same in other surroundings
//!
//! ## What it requires
//! Under `LANG=C` and without `LANG`, without `HOME`, with a minimal `PATH`, in
//! another working directory, with `TMPDIR` on another file system and with another
//! umask the module answers the same and writes the same.
//!
//! ## Why
//! An agent starts modules from cron, from a service manager or from a shell,
//! and each has other surroundings. What worked on a terminal then fails at
//! night.
//!
//! ## How it is judged
//! Each example is run as usual and once in each of these surroundings. Results
//! and result classes of the same requests are compared, and what stands in the
//! scratch directories afterwards: types, contents and link targets, not modes
//! and owners. What differs between two plain runs as well is left out, and so
//! are contents that differ in numbers alone, such as times.
//!
//! ## Example
//! A Python module opens files without naming an encoding; under `LANG=C` a
//! name with an umlaut stops it.
//!
//! ## Source
//! Common practice; CFEngine: Custom promise types does not say in which
//! surroundings a module is started.

use stickler_judge::{Relation, Role};
use crate::compare::{self, pairs};
use crate::output::{answer_differs, exit_words, in_time};
use crate::partner::Volatile;
use crate::session::{Ended, Exchange, Session};
use crate::words::shown;
use std::collections::{BTreeMap, BTreeSet};
use stickler_judge::{Check, Finding, Group, Ledger, Place};
use stickler_transcript::{ChangeKind, Entry, FileType};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Environment], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((base, baseline)) = group.baseline() else {
        return;
    };
    let unstable = compare::unstable(group);
    for (role, index, variant) in group.variants().filter(|variant| *variant.0 != Role::Again) {
        if let Some(finding) = no_header(role, index, baseline, variant, ledger) {
            ledger.report(finding);
            continue;
        }
        let mut last = None;
        for (plain, other) in pairs(baseline, variant) {
            if unstable.contains(&plain.key) || plain.result().is_none() || !in_time(plain) {
                continue;
            }
            let here = Place {
                session: index,
                exchange: Some(other.number),
            };
            if let Some(difference) = answer_differs(plain, other) {
                let finding = ledger
                    .finding_at(here, format!("with {role}: {difference}"))
                    .expected("the same as in the usual surroundings")
                    .also(Place {
                        session: base,
                        exchange: Some(plain.number),
                    })
                    .graded(other.provenance);
                ledger.report(finding);
                // What follows rests on it.
                last = None;
                break;
            }
            ledger.passes.push(here);
            if other.effects.is_some() && plain.effects.is_some() {
                last = Some((plain, other));
            }
        }
        let Some((plain, other)) = last else {
            continue;
        };
        let usual = state_after(baseline, plain);
        let paths = differing(&usual, &state_after(variant, other));
        let volatile = volatile(group, &usual, plain);
        let known = Volatile::of(group);
        for path in paths.difference(&volatile).filter(|path| !known.covers(path)) {
            let finding = ledger
                .finding_at(
                    Place {
                        session: index,
                        exchange: Some(other.number),
                    },
                    format!(
                        "with {role}: other content at `{}`",
                        shown(path, variant.case(), 100)
                    ),
                )
                .expected("the same as in the usual surroundings")
                .also(Place {
                    session: base,
                    exchange: Some(plain.number),
                })
                .graded(other.provenance);
            ledger.report(finding);
        }
    }
}

/// A header that comes in the usual surroundings, and here does not.
fn no_header(
    role: &Role,
    index: usize,
    baseline: &Session,
    variant: &Session,
    ledger: &Ledger,
) -> Option<Finding> {
    baseline.headers().find_map(Exchange::header)?;
    let header = variant.headers().next()?;
    if header.header().is_some() {
        return None;
    }
    let what = match header.ended {
        Ended::Exited(cause) => format!("the module ends ({}) at the start", exit_words(cause)),
        Ended::ClosedOutput | Ended::Silent(_) => "no header comes".to_owned(),
        Ended::Answered | Ended::Killed | Ended::NoAnswer => return None,
    };
    let here = Place {
        session: index,
        exchange: Some(header.number),
    };
    let finding = ledger
        .finding_at(here, format!("with {role}: {what}"))
        .expected("the same as in the usual surroundings")
        .graded(header.provenance);
    Some(finding)
}

/// Paths that differ between plain runs too.
fn volatile(
    group: &Group<'_, Session>,
    usual: &BTreeMap<Vec<u8>, Entry>,
    plain: &Exchange,
) -> BTreeSet<Vec<u8>> {
    let mut paths = compare::volatile(group);
    for (_, again) in group.role(Role::Again) {
        if let Some(same) = again.exchange(&plain.key) {
            paths.extend(differing(usual, &state_after(again, same)));
        }
    }
    paths
}

/// What stands in the scratch directories after an exchange, as far as it
/// differs from how the session began.
fn state_after(session: &Session, exchange: &Exchange) -> BTreeMap<Vec<u8>, Entry> {
    let mut state = BTreeMap::new();
    for observation in &session.observations {
        if observation
            .exchanges
            .iter()
            .any(|number| *number > exchange.number)
        {
            break;
        }
        for change in &observation.changes {
            let path = change.path.to_vec();
            let in_scratch = session
                .case()
                .dirs
                .iter()
                .any(|dir| crate::effects::within(&path, dir));
            match (change.kind, &change.after) {
                (ChangeKind::Deleted, _) => {
                    state.remove(&path);
                }
                (_, Some(entry)) if in_scratch => {
                    state.insert(path, entry.clone());
                }
                _ => {}
            }
        }
    }
    state
}

fn differing(
    one: &BTreeMap<Vec<u8>, Entry>,
    other: &BTreeMap<Vec<u8>, Entry>,
) -> BTreeSet<Vec<u8>> {
    one.keys()
        .chain(other.keys())
        .filter(|path| match (one.get(*path), other.get(*path)) {
            (Some(a), Some(b)) => {
                a.kind != b.kind
                    || a.kind == FileType::File && a.digest != b.digest && !only_numbers(a, b)
                    || a.kind == FileType::Link && a.content != b.content
            }
            (a, b) => a.is_some() != b.is_some(),
        })
        .cloned()
        .collect()
}

/// Do two contents differ in their digits alone? Times do that from run to run.
fn only_numbers(one: &Entry, other: &Entry) -> bool {
    let words = |entry: &Entry| {
        let content = entry.content.as_ref()?;
        let words = content.iter().filter(|byte| !byte.is_ascii_digit());
        Some(words.copied().collect::<Vec<u8>>())
    };
    let words = (words(one), words(other));
    words.0.is_some() && words.0 == words.1
}
