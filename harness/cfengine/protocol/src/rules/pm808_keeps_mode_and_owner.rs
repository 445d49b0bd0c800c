//! # A file that is replaced keeps its mode and owner
//!
//! ## What it requires
//! Where a promise is about a file's content, and no attribute names a mode or an
//! owner, a file that already had an unusual mode or owner has it still after it was
//! repaired.
//!
//! ## Why
//! Modules that write a new file and move it into place do well, but the new file
//! belongs to the agent and has its mask. A key file that becomes readable by all,
//! or a configuration that its service can no longer read, is a defect that shows
//! much later.
//!
//! ## How it is judged
//! After a normal run, the harness puts foreign content into a file that the module
//! made, with mode 0624, of which the usual mask would take a bit (and then 0705), and an
//! owner that does not exist, and the promise is evaluated again. If that is `repaired` and
//! the file is there, mode and owner are compared. Of a tree of files that a tool keeps,
//! such as a working copy, only those that the promise names or that the module writes by
//! itself count, and none that a stand-in for a command keeps. Promises with an attribute
//! about modes are left out, or about owners where the file may have got its own from it, as
//! are modes where the file is made executable, or with one that no mask gives, or another
//! than what is made along with it (those of a source, say), files of a tree where the promise
//! names another path too that does not stand in them, those that go to another name as they
//! are, the owner where the sandbox cannot set one, and both where the promise mends them by
//! themselves: then they are promised.
//!
//! ## Example
//! `os.replace(tmp, path)` without `shutil.copystat` and `os.chown` before it.
//!
//! ## Source
//! Good manners: what a promise does not name, it does not change.

use crate::phase;
use crate::session::{Exchange, Session};
use crate::temporary::{is_own_file, promised_texts};
use crate::wire::Value;
use crate::within;
use crate::words::shown;
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger};
use stickler_transcript::{Change, ChangeKind, Drift, Entry, Event, FileType};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
                (Some(mode), _) if mode & 0o7777 != after.mode & 0o7777 => Some(format!(
                    "`{path_shown}` had mode {:04o}, repaired it has {:04o}",
                    mode & 0o7777,
                    after.mode & 0o7777
                )),
                (_, Some((uid, gid))) if (uid, gid) != (after.uid, after.gid) => Some(format!(
                    "`{path_shown}` belonged to {uid}:{gid}, repaired to {}:{}",
                    after.uid, after.gid
                )),
                _ => None,
            };
            let Some(message) = wrong else {
                ledger.pass(exchange.number);
                continue;
            };
            let finding = ledger
                .finding(exchange.number, message)
                .expected("the mode and owner that it had")
                .graded(exchange.provenance);
            ledger.report(finding);
        }
    }
}

/// Did the file go to another name, as it was?
fn is_moved_on(exchange: &Exchange, path: &[u8]) -> bool {
    let changes = || exchange.effects.iter().flatten();
    let before = changes()
        .find(|change| change.path[..] == *path)
        .and_then(|change| change.before.as_ref());
    before.is_some_and(|before| {
        changes().filter(|change| change.path[..] != *path).any(|other| {
            other.after.as_ref().is_some_and(|after| {
                after.content.is_some()
                    && after.content == before.content
                    && after.mode == before.mode
                    && (after.uid, after.gid) == (before.uid, before.gid)
            })
        })
    })
}

/// Does the file lie below a path that the promise names, beside another path of its own? Then
/// it may have its mode and owner from a file there, but where that path is a text in the file.
fn is_of_a_copied_tree(exchange: &Exchange, path: &[u8], after: &Entry) -> bool {
    let Some(request) = &exchange.request else {
        return false;
    };
    let values = request.attributes.iter().flatten().filter_map(|(_, value)| value.as_text());
    let mut named: Vec<&[u8]> = request.promiser.as_deref().into_iter().chain(values).collect();
    let is_below = |folder: &[u8]| path != folder && within(path, folder);
    let is_written = |text: &[u8]| {
        let content = after.content.as_deref();
        content.is_some_and(|content| crate::words::contains(content, text))
    };
    named.retain(|text| text.starts_with(b"/") && (is_below(text) || !is_written(text)));
    named.len() > 1 && named.into_iter().any(is_below)
}

/// Which of the two a promise sets to another value than the harness gave a file, where it gave
/// nothing else.
fn mended_alone(session: &Session, path: &[u8]) -> Names {
    let mut mended = Names::default();
    for exchange in session.evaluations().filter(|e| e.is("repaired")) {
        let given = given_before(session, exchange);
        let (Some(given), Some(after)) = (given.get(path), after(exchange, path)) else {
            continue;
        };
        match *given {
            Given { content: true, .. } => {}
            Given { mode: Some(mode), owner: None, .. } => {
                mended.mode |= mode & 0o7777 != after.mode & 0o7777;
            }
            Given { mode: None, owner: Some(owner), .. } => {
                mended.owner |= owner != (after.uid, after.gid);
            }
            _ => {}
        }
    }
    mended
}

/// Has the file the mode with which it was first made, and is that none of those that files
/// have by themselves, or that a file has which was made along with it?
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

/// Is a file made executable so far, whatever its mode was? Then it is a program, and its mode a
/// part of the promise.
fn makes_it_run(session: &Session, judged: &Exchange, path: &[u8], given: u32) -> bool {
    let so_far = |exchange: &&Exchange| exchange.number <= judged.number;
    session.evaluations().filter(so_far).any(|exchange| {
        after(exchange, path).is_some_and(|entry| {
            let created = exchange.effects.iter().flatten().any(|change| {
                change.path[..] == *path && change.kind == ChangeKind::Created
            });
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

/// Of what the promise has something to say.
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
    let is_owner = ["own", "user", "uid", "group", "gid"].iter().any(|word| has(word));
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

/// May the file belong to whom this text names? Of names, `root` alone has a known number.
fn may_be_owner(text: &[u8], after: &Entry) -> bool {
    let is_roots = after.uid == 0 && after.gid == 0;
    let ids = [after.uid, after.gid].map(|id| id.to_string());
    let is_id = ids.iter().any(|id| id.as_bytes() == text);
    let names_root = [&b"root"[..], b"wheel"].iter().any(|word| crate::words::contains(text, word));
    is_id || names_root || !is_roots
}

/// `644`, `0755`.
fn is_mode(text: &[u8]) -> bool {
    (3..=5).contains(&text.len()) && text.iter().all(|byte| (b'0'..=b'7').contains(byte))
}
