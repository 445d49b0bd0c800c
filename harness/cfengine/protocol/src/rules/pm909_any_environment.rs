//! # The module behaves the same in other environments
//!
//! ## What it requires
//! With another `LANG`, `HOME`, `PATH`, `TMPDIR`, working directory or umask, the module gives
//! the same answers and writes the same content.
//!
//! ## Why
//! Agents start modules from cron, a service manager or a shell, each with another
//! environment. What works on a terminal then fails at night.
//!
//! ## How it is judged
//! - Judged: headers, results, result classes, and types, contents and link targets in
//!   `{dir}`. Each example runs as usual and in seven other environments: an ASCII locale (for
//!   Python, `LC_ALL=C` is not enough), no `LANG`, no `HOME`, a minimal `PATH`, another
//!   working directory, another `TMPDIR`, umask 077.
//! - Not judged: modes and owners; variables that the configuration sets; differences between
//!   two plain runs; contents that differ only in digits, such as times; no `HOME`, if the
//!   setup uses it, since the user database names another home.
//!
//! ## Example
//! A Python module opens files without an encoding. In an ASCII locale, a text with an umlaut
//! stops it.
//!
//! ## How to fix
//! Name the encoding, use absolute paths, and set at the start what the module needs:
//! - Shell: `export LC_ALL=C PATH="$PATH:/usr/sbin:/usr/bin:/sbin:/bin"; umask 022; cd /`
//! - Python: `open(path, encoding="utf-8")`; files' names: `encode("utf-8", "surrogateescape")`
//! - Home directory: from the user database, `pwd.getpwuid(os.getuid()).pw_dir`.
//! - Own files: from the module's place, `os.path.dirname(os.path.abspath(__file__))`.
//!
//! ## Source
//! Common practice; CFEngine: Custom promise types does not define the environment.

use crate::compare::{self, pairs};
use crate::output::{answer_differs, exit_words, in_time};
use crate::session::{Ended, Exchange, Session};
use crate::volatile::Volatile;
use crate::words::shown;
use std::collections::{BTreeMap, BTreeSet};
use stickler_judge::{Check, Finding, Group, Ledger, Relation, Role, RunPlace, Variant};
use stickler_transcript::{ChangeKind, Entry, FileType};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::ENVIRONMENT], check)];

/// The locale of the environment decides.
const LOCALE: Variant = Variant::new("locale");

/// What each environment changes: a word in its role, and the variant of findings in it. How
/// the module is misled does not matter: it may exit at one thing, and write another wrongly.
const CHANGED: [(&str, Variant); 7] = [
    ("LC_ALL", LOCALE),
    ("LANG", LOCALE),
    ("HOME", Variant::new("home")),
    ("PATH", Variant::new("path")),
    ("cwd", Variant::new("working-directory")),
    ("TMPDIR", Variant::new("temporary-directory")),
    ("umask", Variant::new("umask")),
];

/// The variant of findings in an environment.
fn changed(role: &Role) -> Variant {
    let mut known = CHANGED.iter();
    let found = known.find(|(word, _)| role.name().contains(word));
    found.map_or(Variant::ONLY, |(_, variant)| *variant)
}

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
            let here = RunPlace::at(index, other.number);
            if let Some(difference) = answer_differs(plain, other) {
                let finding = ledger
                    .finding_at(
                        here,
                        changed(role).says(format!("with {role}: {difference}")),
                    )
                    .expected("the same as in the usual environment")
                    .also(RunPlace::at(base, plain.number))
                    .graded(other.provenance);
                ledger.report(finding);
                // Later exchanges depend on this one.
                last = None;
                break;
            }
            ledger.passes.push(here);
            if !variant.is_truncated()
                && !baseline.is_truncated()
                && other.effects.is_some()
                && plain.effects.is_some()
            {
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
        for path in paths
            .difference(&volatile)
            .filter(|path| !known.covers(path))
        {
            let finding = ledger
                .finding_at(
                    RunPlace::at(index, other.number),
                    changed(role).says(format!(
                        "with {role}: different content at `{}`",
                        shown(path, variant.case(), 100)
                    )),
                )
                .expected("the same as in the usual environment")
                .also(RunPlace::at(base, plain.number))
                .graded(other.provenance);
            ledger.report(finding);
        }
    }
}

/// The module sends a header in the usual environment, and none in this one.
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
        Ended::Exited(cause) => format!("the module exits at the start ({})", exit_words(cause)),
        Ended::ClosedOutput | Ended::Silent(_) => "the module sends no header".to_owned(),
        Ended::Answered | Ended::Killed | Ended::NoAnswer => return None,
    };
    let here = RunPlace::at(index, header.number);
    let finding = ledger
        .finding_at(here, changed(role).says(format!("with {role}: {what}")))
        .expected("the same as in the usual environment")
        .graded(header.provenance);
    Some(finding)
}

/// Paths that also differ between plain runs.
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

/// What the scratch directories contain after an exchange, except what has not changed since the
/// session began.
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
                .any(|dir| stickler_reading::within(&path, dir));
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

/// Do two contents differ only in their digits? Times differ from run to run.
fn only_numbers(one: &Entry, other: &Entry) -> bool {
    let words = |entry: &Entry| {
        let content = entry.content.as_ref()?;
        let words = content.iter().filter(|byte| !byte.is_ascii_digit());
        Some(words.copied().collect::<Vec<u8>>())
    };
    let words = (words(one), words(other));
    words.0.is_some() && words.0 == words.1
}
