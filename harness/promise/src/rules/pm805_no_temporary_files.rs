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
//! look temporary (`x.tmp`, `tmp.Ab3dE9`, `.x.8sk2Qa`). A session in which a
//! process is left, or in which the harness closed the target for writing, is not
//! judged.
//!
//! ## Example
//! A shell module writes to `$(mktemp)` and copies the file into place.
//!
//! ## Source
//! Good manners; CFEngine: Custom promise types, "Results" (`terminate`: cleaning
//! up).

use crate::effects::within;
use crate::ending::ended_by_itself;
use crate::session::Session;
use crate::temporary::{is_promised, looks_temporary, name, promised_texts};
use crate::words::shown;
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger};
use stickler_transcript::{ChangeKind, Phase};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let case = session.case();
    let looked = session.observations.len() > 1;
    let asked = session.validations().next().is_some();
    if !looked || !asked || !ended_by_itself(session) || !session.left.processes.is_empty() {
        return;
    }
    if case.protection.is_some() || session.answered(Phase::Terminate).next().is_none() {
        return;
    }
    let texts = promised_texts(session);
    let left: Vec<(&[u8], Option<usize>)> = made(session)
        .into_iter()
        .filter(|(path, _)| !case.traps.iter().any(|trap| within(path, &trap.sign)))
        .filter(|(path, _)| !is_promised(path, &texts) && is_temporary(session, path, &texts))
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

/// Paths that are new at the end of the session, with the exchange after which
/// they were there first.
fn made(session: &Session) -> BTreeMap<&[u8], Option<usize>> {
    let mut made = BTreeMap::new();
    for observation in &session.observations {
        for change in &observation.changes {
            let path = &change.path.0[..];
            match change.kind {
                ChangeKind::Created => {
                    made.insert(path, observation.exchanges.last().copied());
                }
                ChangeKind::Deleted => {
                    made.remove(path);
                }
                _ => {}
            }
        }
    }
    made
}

fn is_temporary(session: &Session, path: &[u8], texts: &[&[u8]]) -> bool {
    let case = session.case();
    let names: Vec<&[u8]> = texts
        .iter()
        .map(|text| name(text))
        .filter(|name| !name.is_empty())
        .collect();
    let in_dirs = |dirs: &[&[u8]]| dirs.iter().any(|dir| within(path, dir) && path != *dir);
    let environment = |wanted: &str| {
        case.plan
            .iter()
            .flat_map(|plan| plan.commands.first())
            .flat_map(|command| &command.env)
            .find(|(name, _)| name.0 == wanted.as_bytes())
            .map(|(_, value)| &value.0[..])
    };
    let scratch: Vec<&[u8]> = case.dirs.iter().map(|dir| &dir.0[..]).collect();
    let home = environment("HOME").unwrap_or(b"/tmp/stickler/home");
    if in_dirs(&scratch) || in_dirs(&[home]) {
        return looks_temporary(path, &names);
    }
    let temporary = environment("TMPDIR").unwrap_or(b"/tmp");
    in_dirs(&[temporary, b"/tmp", b"/var/tmp", b"/dev/shm"])
}
