//! # The module leaves no temporary file behind
//!
//! ## What it requires
//! A session that ends normally leaves no file in directories for temporary files, and no
//! temporary file beside those of the promise.
//!
//! ## Why
//! One file for each agent run, every five minutes, fills a disk. A file with a promise's
//! content may expose secrets that the real file protects.
//!
//! ## How it is judged
//! - Judged: files that are new at the end. In `TMPDIR`, `/tmp`, `/var/tmp` and `/dev/shm` all
//!   of them count; in `{dir}`, `HOME` and beside the files of a promise only those with
//!   temporary names (`x.tmp`, `tmp.Ab3dE9`, `.x.8sk2Qa`).
//! - Not judged: files that a promise names; empty `.lock` and `.lck` files; paths that a
//!   notice message names; what only a `[fake]` stand-in leaves; sessions that leave a process
//!   (PM309) or in which writes fail (PM807).
//!
//! ## Example
//! A shell module writes to `$(mktemp)` and copies the file into place.
//!
//! ## How to fix
//! Rename the temporary file into place, or remove it. Do so also if something fails.
//! - Shell: `new=$(mktemp -- "$file.XXXXXX")`, then
//!   `mv -f -T -- "$new" "$file" || rm -f -- "$new"`
//! - Shell, at the exit: `trap 'rm -f -- "$new"' EXIT; trap 'exit 1' HUP INT TERM`
//! - Python: `except BaseException: os.unlink(new); raise` around the write and `os.replace`
//! - Python, for scratch files: `with tempfile.TemporaryDirectory() as folder:`
//!
//! ## Source
//! Good practice; CFEngine: Custom promise types, "Results" (`terminate`: cleaning up).

use crate::ending::ended_by_itself;
use crate::logs::meant;
use crate::phase;
use crate::session::{Exchange, Session};
use crate::temporary::{
    Place, folder, in_dirs, is_promised, looks_temporary, made, name, promised_texts,
};
use crate::words::{contains, shown};
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_reading::within;

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[
        Relation::DISTURBED,
        Relation::FIELDS,
        Relation::IN_THE_WAY,
        Relation::UNENDED,
        Relation::TEXT,
    ],
    check,
)];

/// In a directory for temporary files.
const TEMPORARY: Variant = Variant::new("in-temporary");
/// Beside the files of people and promises.
const WORK: Variant = Variant::new("beside-files");

fn check(session: &Session, ledger: &mut Ledger) {
    let case = session.case();
    // If effects are left out, it may have removed what it made.
    let looked = session.observations.len() > 1 && !session.is_truncated();
    let asked = session.validations().next().is_some();
    if !looked || !asked || !ended_by_itself(session) || !session.left.processes.is_empty() {
        return;
    }
    // PM807 judges what is left if writes fail.
    if session.refuses_writes() || session.answered(phase::TERMINATE).next().is_none() {
        return;
    }
    let texts = promised_texts(session);
    let end = session.end_state();
    // A module must not unlink a lock file: another process may hold a lock on it.
    let is_lock = |path: &[u8]| {
        let locks = [&b".lock"[..], b".lck"];
        let entry = end.get(path).copied().flatten();
        locks.iter().any(|ending| path.ends_with(ending)) && entry.is_some_and(|it| it.size == 0)
    };
    let made = made(session);
    // State that a notice message names, also by a directory that the module made for it.
    let is_announced = |path: &[u8]| {
        let mut above = made.keys().filter(|other| within(path, other));
        let notices = || session.exchanges.iter().flat_map(notices);
        above.any(|dir| notices().any(|notice| contains(notice, dir)))
    };
    let left: Vec<(&[u8], Option<usize>)> = made
        .iter()
        .map(|(path, number)| (*path, *number))
        .filter(|(path, _)| !case.traps.iter().any(|trap| within(path, &trap.sign)))
        .filter(|(path, _)| !is_promised(path, &texts) && is_temporary(session, path, &texts))
        .filter(|(path, _)| !is_lock(path) && !is_announced(path) && !session.is_foreign(path))
        .collect();
    // A directory represents everything below it.
    let tops: Vec<_> = left
        .iter()
        .filter(|(path, _)| {
            !left
                .iter()
                .any(|(other, _)| other != path && within(path, other))
        })
        .collect();
    if tops.is_empty() {
        ledger.pass(None);
        return;
    }
    for (path, number) in tops {
        let provenance = session
            .exchanges
            .iter()
            .find(|exchange| Some(exchange.number) == *number)
            .map(|exchange| exchange.provenance)
            .unwrap_or_default();
        let variant = if in_dirs(session, path, Place::Work) {
            WORK
        } else {
            TEMPORARY
        };
        let finding = ledger
            .finding(
                *number,
                variant.says(format!("leaves `{}` behind", shown(path, case, 80))),
            )
            .expected("no temporary file at the end")
            .graded(provenance);
        ledger.report(finding);
    }
}

fn is_temporary(session: &Session, path: &[u8], texts: &[&[u8]]) -> bool {
    let names: Vec<&[u8]> = texts
        .iter()
        .map(|text| name(text))
        .filter(|name| !name.is_empty())
        .collect();
    // A promise may be about a file in `/tmp`.
    let is_beside = |text: &&[u8]| text.starts_with(b"/") && folder(text) == folder(path);
    if in_dirs(session, path, Place::Work) || texts.iter().any(is_beside) {
        return looks_temporary(path, &names);
    }
    in_dirs(session, path, Place::Temporary)
}

/// The messages of an answer with level notice.
fn notices(exchange: &Exchange) -> impl Iterator<Item = &[u8]> {
    let logs = exchange.logs();
    logs.filter(|(level, _)| meant(level) == Some("notice"))
        .map(|(_, message)| message)
}
