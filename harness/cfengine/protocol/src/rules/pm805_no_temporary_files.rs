//! # No temporary file is left behind
//!
//! ## What it requires
//! After a session that ended normally, no temporary file of the module is left:
//! not in `TMPDIR`, `/tmp` or `/var/tmp`, and no half-way file beside those that
//! the promise is about.
//!
//! ## Why
//! A file for each run of an agent, every five minutes, fills a disk. One with the
//! content of a promise may hold secrets that the real file protects.
//!
//! ## How it is judged
//! On sessions that were answered and ended by themselves, by the files that are
//! new at their end. In directories for temporary files each new one counts, unless
//! the promise names it; in the scratch directory and in `HOME` those whose names
//! look temporary (`x.tmp`, `tmp.Ab3dE9`, `.x.8sk2Qa`). An empty file that is named as a
//! lock may stay, since it is locked where it lies, and so may what a log
//! message at level notice names. A session in which a process is left, or in
//! which the harness closed the target for writing, is not judged.
//!
//! ## Example
//! A shell module writes to `$(mktemp)` and copies the file into place.
//!
//! ## Source
//! Good manners; CFEngine: Custom promise types, "Results" (`terminate`: cleaning
//! up).

use crate::phase;
use crate::effects::within;
use crate::ending::ended_by_itself;
use crate::logs::meant;
use crate::session::{Exchange, Session};
use crate::temporary::{
    Place, in_dirs, is_promised, looks_temporary, made, name, promised_texts,
};
use crate::words::{contains, shown};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let case = session.case();
    let looked = session.observations.len() > 1;
    let asked = session.validations().next().is_some();
    if !looked || !asked || !ended_by_itself(session) || !session.left.processes.is_empty() {
        return;
    }
    // Where writes are refused, what is left is PM807's matter.
    if session.refuses_writes() || session.answered(phase::TERMINATE).next().is_none() {
        return;
    }
    let texts = promised_texts(session);
    let end = session.end_state();
    // To lock a file and then to unlink it would let two in.
    let is_lock = |path: &[u8]| {
        let locks = [&b".lock"[..], b".lck"];
        let entry = end.get(path).copied().flatten();
        locks.iter().any(|ending| path.ends_with(ending)) && entry.is_some_and(|it| it.size == 0)
    };
    let made = made(session);
    // State that the module tells of, with the directories that it made for it.
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
        .filter(|(path, _)| !is_lock(path) && !is_announced(path))
        .collect();
    // What lies below another one that is left goes with it.
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
        let finding = ledger
            .finding(
                *number,
                format!("leaves `{}` behind", shown(path, case, 80)),
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
    if in_dirs(session, path, Place::Work) {
        return looks_temporary(path, &names);
    }
    in_dirs(session, path, Place::Temporary)
}

/// The messages that an answer has at level notice.
fn notices(exchange: &Exchange) -> impl Iterator<Item = &[u8]> {
    let logs = exchange.logs();
    logs.filter(|(level, _)| meant(level) == Some("notice"))
        .map(|(_, message)| message)
}
