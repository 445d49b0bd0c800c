//! # A replaced file keeps its mode and owner
//!
//! ## What it requires
//! If no attribute names a mode or owner, a repaired file keeps the unusual mode and owner
//! that it had.
//!
//! ## Why
//! A module that renames a new file into place gives it the agent's owner and umask. A key
//! file may become readable by all, or a service may lose access to its configuration.
//!
//! ## How it is judged
//! - Judged: evaluations that answer `repaired`, after the suite gave a file of the promise an
//!   unusual mode (0624, 0705) and owner (12345), mostly with foreign content.
//! - Not judged: the mode or owner, if an attribute is about it or the module repairs it even
//!   if nothing else differs; the mode, if the module makes the file executable or created it
//!   with a special mode.
//! - Not judged: files of a tool's tree that the promise does not name; files that only a
//!   stand-in writes; copied trees and moved files; the owner, if the sandbox cannot set it.
//!
//! ## Example
//! `os.replace(tmp, path)` without `shutil.copystat` and `os.chown`.
//!
//! ## How to fix
//! Copy owner and mode from the old file to the new one before the rename, the owner first.
//! - Python:
//!   `st = os.stat(path); os.chown(new, st.st_uid, st.st_gid); os.chmod(new, st.st_mode & 0o7777)`
//! - Shell: `chown --reference="$file" -- "$new" && chmod --reference="$file" -- "$new"`
//! - C: `fchown(fd, st.st_uid, st.st_gid)`, then `fchmod(fd, st.st_mode & 07777)`
//!
//! ## Source
//! Good practice: a module does not change what the promise does not name.

use crate::phase;
use crate::session::{Exchange, Session};
use crate::temporary::{is_own_file, promised_texts};
use crate::wire::Value;
use crate::words::shown;
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_reading::within;
use stickler_transcript::{Change, ChangeKind, Drift, Entry, Event, FileType};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[Relation::DRIFT], check)];

/// The mode is another one.
const MODE: Variant = Variant::new("other-mode");
/// The owner or group is another one.
const OWNER: Variant = Variant::new("other-owner");

/// What the harness gave a file.
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    mode: Option<u32>,
    owner: Option<(u32, u32)>,
    content: bool,
}

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session
        .evaluations()
        .filter(|exchange| exchange.is("repaired"))
    {
        let given = given_before(session, exchange);
        let texts = promised_texts(session);
        for (path, given) in given {
            let Some(after) = after(exchange, path) else {
                continue;
            };
            let names = names_of(exchange, after);
            if session.is_foreign(path)
                || is_moved_on(exchange, path)
                || is_of_a_copied_tree(exchange, path, after)
            {
                continue;
            }
            if !session.writes_itself(path) && !is_own_file(path, &texts, exchange) {
                continue;
            }
            let mended = mended_alone(session, path);
            let mode = given.mode.filter(|mode| {
                !names.mode
                    && !mended.mode
                    && !is_chosen(session, path, after)
                    && !makes_it_run(session, exchange, path, *mode)
            });
            let owner = given.owner.filter(|_| !names.owner && !mended.owner);
            if mode.is_none() && owner.is_none() {
                continue;
            }
            let path_shown = shown(path, session.case(), 80);
            let wrong = match (mode, owner) {
                (Some(mode), _) if mode & 0o7777 != after.mode & 0o7777 => Some(MODE.says(format!(
                    "`{path_shown}` had mode {:04o}, and has {:04o} after the repair",
                    mode & 0o7777,
                    after.mode & 0o7777
                ))),
                (_, Some((uid, gid))) if (uid, gid) != (after.uid, after.gid) => {
                    Some(OWNER.says(format!(
                        "`{path_shown}` belonged to {uid}:{gid}, and belongs to {}:{} after the repair",
                        after.uid, after.gid
                    )))
                }
                _ => None,
            };
            let Some(defect) = wrong else {
                ledger.pass(exchange.number);
                continue;
            };
            let finding = ledger
                .finding(exchange.number, defect)
                .expected("the mode and owner that it had")
                .graded(exchange.provenance);
            ledger.report(finding);
        }
    }
}

/// Did the module move the file unchanged to another name?
fn is_moved_on(exchange: &Exchange, path: &[u8]) -> bool {
    // It may have moved the file where effects are left out.
    if exchange.truncated {
        return true;
    }
    let changes = || exchange.effects.iter().flatten();
    let before = changes()
        .find(|change| change.path[..] == *path)
        .and_then(|change| change.before.as_ref());
    before.is_some_and(|before| {
        changes()
            .filter(|change| change.path[..] != *path)
            .any(|other| {
                other.after.as_ref().is_some_and(|after| {
                    after.content.is_some()
                        && after.content == before.content
                        && after.mode == before.mode
                        && (after.uid, after.gid) == (before.uid, before.gid)
                })
            })
    })
}

/// Does the file lie below a path that the promise names, and does the promise name another path
/// too? Then its mode and owner may come from a file there. A path that the file contains as
/// text is no such source.
fn is_of_a_copied_tree(exchange: &Exchange, path: &[u8], after: &Entry) -> bool {
    let Some(request) = &exchange.request else {
        return false;
    };
    let values = request
        .attributes
        .iter()
        .flatten()
        .filter_map(|(_, value)| value.as_text());
    let mut named: Vec<&[u8]> = request
        .promiser
        .as_deref()
        .into_iter()
        .chain(values)
        .collect();
    let is_below = |folder: &[u8]| path != folder && within(path, folder);
    let is_written = |text: &[u8]| {
        let content = after.content.as_deref();
        content.is_some_and(|content| crate::words::contains(content, text))
    };
    named.retain(|text| text.starts_with(b"/") && (is_below(text) || !is_written(text)));
    named.len() > 1 && named.into_iter().any(is_below)
}

/// Does the module correct the mode, or the owner, if the harness changed nothing else? Then the
/// promise is about it.
fn mended_alone(session: &Session, path: &[u8]) -> Names {
    let mut mended = Names::default();
    for exchange in session.evaluations().filter(|e| e.is("repaired")) {
        let given = given_before(session, exchange);
        let (Some(given), Some(after)) = (given.get(path), after(exchange, path)) else {
            continue;
        };
        match *given {
            Given { content: true, .. } => {}
            Given {
                mode: Some(mode),
                owner: None,
                ..
            } => {
                mended.mode |= mode & 0o7777 != after.mode & 0o7777;
            }
            Given {
                mode: None,
                owner: Some(owner),
                ..
            } => {
                mended.owner |= owner != (after.uid, after.gid);
            }
            _ => {}
        }
    }
    mended
}

/// Did the module choose the mode? It did if the file still has the mode of its creation, and
/// that mode is unusual or differs from the mode of a file created along with it.
fn is_chosen(session: &Session, path: &[u8], after: &Entry) -> bool {
    const USUAL: [u32; 5] = [0o600, 0o644, 0o664, 0o666, 0o660];
    session.evaluations().any(|exchange| {
        let made = exchange.effects.iter().flatten().filter_map(|change| {
            let entry = change.after.as_ref()?;
            let is_new = change.kind == ChangeKind::Created && entry.kind == FileType::File;
            is_new.then_some((&change.path[..], entry.mode & 0o7777))
        });
        let made: BTreeMap<&[u8], u32> = made.collect();
        made.get(path).is_some_and(|mode| {
            let unlike = !USUAL.contains(mode) || made.values().any(|other| other != mode);
            *mode == after.mode & 0o7777 && unlike
        })
    })
}

/// What the harness gave to files since the last evaluation before this one.
fn given_before<'s>(session: &'s Session, exchange: &Exchange) -> BTreeMap<&'s [u8], Given> {
    let mut given: BTreeMap<&[u8], Given> = BTreeMap::new();
    for event in &session.transcript.events {
        match event {
            Event::Request(input) if input.exchange == exchange.number => break,
            Event::Request(input) if input.phase == phase::EVALUATE => {
                given.clear();
            }
            Event::Drifted {
                drift,
                failed: None,
                ..
            } => match &**drift {
                Drift::Mode { path, mode } => given.entry(path).or_default().mode = Some(*mode),
                Drift::Write { path, .. } => given.entry(path).or_default().content = true,
                Drift::Owner { path, uid, gid } => {
                    given.entry(path).or_default().owner = Some((*uid, *gid));
                }
                _ => {}
            },
            _ => {}
        }
    }
    given
}

/// Did the module make the file executable by now, whatever its mode was? Then it is a program,
/// and its mode is part of the promise.
fn makes_it_run(session: &Session, judged: &Exchange, path: &[u8], given: u32) -> bool {
    let so_far = |exchange: &&Exchange| exchange.number <= judged.number;
    session.evaluations().filter(so_far).any(|exchange| {
        after(exchange, path).is_some_and(|entry| {
            let created = exchange
                .effects
                .iter()
                .flatten()
                .any(|change| change.path[..] == *path && change.kind == ChangeKind::Created);
            entry.mode & 0o111 & !(if created { 0 } else { given }) != 0
        })
    })
}

/// The file at a path after the exchange changed it.
fn after<'e>(exchange: &'e Exchange, path: &[u8]) -> Option<&'e Entry> {
    exchange
        .effects
        .iter()
        .flatten()
        .rfind(|change: &&Change| change.path[..] == *path)?
        .after
        .as_ref()
        .filter(|entry| entry.kind == FileType::File)
}

/// What the attributes of the promise are about.
#[derive(Default)]
struct Names {
    mode: bool,
    owner: bool,
}

fn names_of(exchange: &Exchange, after: &Entry) -> Names {
    let mut names = Names::default();
    for (name, value) in exchange
        .request
        .iter()
        .flat_map(|request| request.attributes.iter().flatten())
    {
        look(name, value, after, &mut names);
    }
    names
}

fn look(name: &[u8], value: &Value, after: &Entry, names: &mut Names) {
    let lower = name.to_ascii_lowercase();
    let has = |word: &str| crate::words::contains(&lower, word.as_bytes());
    names.mode |= has("mode") || has("perm") || has("chmod") || has("mask") || has("acl");
    let is_owner = ["own", "user", "uid", "group", "gid"]
        .iter()
        .any(|word| has(word));
    match value {
        Value::Text(text) => {
            names.mode |= is_mode(text);
            names.owner |= is_owner && may_be_owner(text, after);
        }
        Value::Object(members) => members
            .iter()
            .for_each(|(name, value)| look(name, value, after, names)),
        Value::List(items) => items.iter().for_each(|item| look(name, item, after, names)),
        Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
}

/// May this text name the file's owner? `root` is the only name with a known number.
fn may_be_owner(text: &[u8], after: &Entry) -> bool {
    let is_roots = after.uid == 0 && after.gid == 0;
    let ids = [after.uid, after.gid].map(|id| id.to_string());
    let is_id = ids.iter().any(|id| id.as_bytes() == text);
    let names_root = [&b"root"[..], b"wheel"]
        .iter()
        .any(|word| crate::words::contains(text, word));
    is_id || names_root || !is_roots
}

/// `644`, `0755`.
fn is_mode(text: &[u8]) -> bool {
    (3..=5).contains(&text.len()) && text.iter().all(|byte| (b'0'..=b'7').contains(byte))
}
