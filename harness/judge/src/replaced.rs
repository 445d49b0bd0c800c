//! Judges whether a file that is replaced keeps its mode and owner, whatever the dialect.

use crate::{Ledger, Level, Variant, View};
use std::collections::BTreeMap;
use stickler_reading::foreign::{lines, unended};
use stickler_reading::words::{contains, has_word, shown};
use stickler_reading::{Exchange, within};
use stickler_transcript::{Change, ChangeKind, Drift, Entry, Event, Fate, FileType, Phase};

/// The mode is another one.
const MODE: Variant = Variant::new("other-mode");
/// The owner or group is another one.
const OWNER: Variant = Variant::new("other-owner");

/// What an item demands, as far as it may be about files.
#[derive(Clone, Debug, Default)]
pub struct Demands<'v> {
    /// Its texts, such as paths.
    pub texts: Vec<&'v [u8]>,
    /// Its fields, those within others too, by their names; with their values if these are texts.
    pub fields: Vec<(&'v [u8], Option<&'v [u8]>)>,
    /// Does whoever gives a file a mode decide on its owner, too?
    pub owner_goes_with_mode: bool,
    /// The highest level of what is found where nothing of the old content stays: the file is the item's own then.
    pub whole: Option<Level>,
}

/// What the fields of an item are about.
#[derive(Clone, Copy, Default)]
struct About {
    mode: bool,
    owner: bool,
}

/// Is a field with this name about the mode or the owner of a file?
pub fn is_of_mode_or_owner(name: &[u8]) -> bool {
    let about = About::of_name(name);
    about.mode || about.owner
}

impl About {
    fn of_name(name: &[u8]) -> About {
        let lower = name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| contains(&lower, word.as_bytes()));
        About {
            mode: has(&["mode", "perm", "chmod", "mask", "acl"]),
            owner: has(&["own", "user", "uid", "group", "gid"]),
        }
    }

    fn of(demands: &Demands<'_>, after: &Entry) -> About {
        let mut about = About::default();
        for (name, text) in &demands.fields {
            let named = About::of_name(name);
            about.mode |= named.mode || text.is_some_and(is_mode);
            about.owner |= named.owner && text.is_some_and(|text| may_be_owner(text, after));
        }
        about.owner |= demands.owner_goes_with_mode && about.mode;
        about
    }
}

/// What the harness gave a file.
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    mode: Option<u32>,
    owner: Option<(u32, u32)>,
    content: bool,
}

/// Judges each evaluation in this phase that claims a change, after the harness gave a file an unusual mode or owner.
/// `is_own` says whether the file at a path is the item's own; `demands` what the item of an exchange demands.
pub fn keeps_mode_and_owner<'v, V: View>(
    view: &'v V,
    phase: Phase,
    is_own: impl Fn(&Exchange, &[u8]) -> bool,
    demands: impl Fn(&Exchange) -> Demands<'v>,
    ledger: &mut Ledger,
) {
    let session = Judged {
        view,
        phase,
        changed: changed(view),
    };
    for exchange in &session.changed {
        for (path, given) in session.given_before(exchange) {
            let Some(after) = after(exchange, path) else {
                continue;
            };
            let demands = demands(exchange);
            if is_moved_on(exchange, path)
                || is_of_a_copied_tree(&demands, path, after)
                || !is_own(exchange, path)
            {
                continue;
            }
            let about = About::of(&demands, after);
            let mended = session.mended_alone(path);
            let mode = given.mode.filter(|mode| {
                !about.mode
                    && !mended.mode
                    && !session.is_chosen(path, after)
                    && !session.makes_it_run(exchange, path, *mode)
            });
            let owner = given.owner.filter(|_| !about.owner && !mended.owner);
            if mode.is_none() && owner.is_none() {
                continue;
            }
            let file = shown(path, view.case(), 80);
            let wrong = match (mode, owner) {
                (Some(mode), _) if mode & 0o7777 != after.mode & 0o7777 => {
                    Some(MODE.says(format!(
                        "`{file}` had mode {:04o}, and has {:04o} after the repair",
                        mode & 0o7777,
                        after.mode & 0o7777
                    )))
                }
                (_, Some((uid, gid))) if (uid, gid) != (after.uid, after.gid) => {
                    Some(OWNER.says(format!(
                        "`{file}` belonged to {uid}:{gid}, and belongs to {}:{} after the repair",
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
            ledger.report(match demands.whole {
                Some(level) if !keeps_some(exchange, path) => finding.at_most(level),
                _ => finding,
            });
        }
    }
}

/// A session with the evaluations that changed something.
struct Judged<'v, V> {
    view: &'v V,
    phase: Phase,
    changed: Vec<&'v Exchange>,
}

/// The evaluations that claim a change.
fn changed<V: View>(view: &V) -> Vec<&Exchange> {
    let claims = view.claims().into_iter();
    let changed = claims.filter(|claim| claim.fate == Fate::Changed);
    let numbers: Vec<usize> = changed.map(|claim| claim.exchange).collect();
    let exchanges = view.reading().exchanges();
    exchanges
        .filter(|one| numbers.contains(&one.number))
        .collect()
}

impl<V: View> Judged<'_, V> {
    /// Does the subject correct the mode, or the owner, if the harness changed nothing else? Then the item is about it.
    fn mended_alone(&self, path: &[u8]) -> About {
        let mut mended = About::default();
        for exchange in &self.changed {
            let given = self.given_before(exchange);
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

    /// Did the subject choose the mode? It did if the file still has the mode of its creation, and that mode is unusual
    /// or differs from the mode of a file created along with it.
    fn is_chosen(&self, path: &[u8], after: &Entry) -> bool {
        const USUAL: [u32; 5] = [0o600, 0o644, 0o664, 0o666, 0o660];
        let mut evaluations = self.evaluations();
        evaluations.any(|exchange| {
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

    /// Did the subject make the file executable by now, whatever its mode was? Then it is a program, and its mode is part
    /// of the item.
    fn makes_it_run(&self, judged: &Exchange, path: &[u8], given: u32) -> bool {
        let mut so_far = self
            .evaluations()
            .filter(|exchange| exchange.number <= judged.number);
        so_far.any(|exchange| {
            after(exchange, path).is_some_and(|entry| {
                let created =
                    exchange.effects.iter().flatten().any(|change| {
                        change.path[..] == *path && change.kind == ChangeKind::Created
                    });
                entry.mode & 0o111 & !(if created { 0 } else { given }) != 0
            })
        })
    }

    fn evaluations(&self) -> impl Iterator<Item = &Exchange> {
        let exchanges = self.view.reading().exchanges();
        exchanges.filter(|exchange| exchange.phase == self.phase)
    }

    /// What the harness gave to files since the last evaluation before this one.
    fn given_before(&self, exchange: &Exchange) -> BTreeMap<&[u8], Given> {
        let mut given: BTreeMap<&[u8], Given> = BTreeMap::new();
        for event in &self.view.reading().transcript().events {
            match event {
                Event::Request(input) if input.exchange == exchange.number => break,
                Event::Request(input) if input.phase == self.phase => {
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
}

/// Did the subject move the file unchanged to another name?
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

/// Does the file lie below a path that the item names, and does the item name another path too? Then its mode and owner
/// may come from a file there. A path that the file contains as text is no such source.
fn is_of_a_copied_tree(demands: &Demands<'_>, path: &[u8], after: &Entry) -> bool {
    let is_below = |folder: &[u8]| path != folder && within(path, folder);
    let is_written = |text: &[u8]| {
        let content = after.content.as_deref();
        content.is_some_and(|content| contains(content, text))
    };
    let mut named = demands.texts.clone();
    named.retain(|text| text.starts_with(b"/") && (is_below(text) || !is_written(text)));
    named.len() > 1 && named.into_iter().any(is_below)
}

/// Does some line of a file stay in it? Then the item is not about all of the file.
pub fn keeps_some(exchange: &Exchange, path: &[u8]) -> bool {
    let mut changes = exchange.effects.iter().flatten();
    let change = changes.find(|change| change.path[..] == *path);
    let content = |entry: &Option<Entry>| entry.as_ref()?.content.clone();
    let both = change.and_then(|change| Some((content(&change.before)?, content(&change.after)?)));
    both.is_some_and(|(before, after)| {
        let after = lines(&after);
        let mut old = lines(&before).into_iter().map(unended);
        old.any(|line| {
            let has_letters = line.iter().any(u8::is_ascii_alphabetic);
            has_letters && after.iter().any(|one| unended(one) == line)
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

/// Is an item responsible for each byte of this file? It is if one of its texts contains the file's name, or if the
/// evaluation changes no other file. It is not responsible for a tool's own files in a tree, such as git's.
pub fn is_own_file(path: &[u8], texts: &[&[u8]], evaluation: &Exchange) -> bool {
    let full = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let stem = match full.iter().rposition(|byte| *byte == b'.') {
        None | Some(0) => full,
        Some(at) => &full[..at],
    };
    let named = texts
        .iter()
        .any(|text| has_word(text, full) || has_word(text, stem));
    named || files(evaluation).all(|other| other == path)
}

/// The files that an evaluation created or wrote.
fn files(evaluation: &Exchange) -> impl Iterator<Item = &[u8]> {
    use ChangeKind::{Changed, Created, Rewritten};
    let changes = evaluation.effects.iter().flatten();
    let written = changes.filter(|change| matches!(change.kind, Created | Changed | Rewritten));
    let files = written.filter(|change| {
        let after = change.after.as_ref();
        after.is_some_and(|after| after.kind == FileType::File)
    });
    files.map(|change| &change.path[..])
}

/// May this text name the file's owner? `root` is the only name with a known number.
fn may_be_owner(text: &[u8], after: &Entry) -> bool {
    let is_roots = after.uid == 0 && after.gid == 0;
    let ids = [after.uid, after.gid].map(|id| id.to_string());
    let is_id = ids.iter().any(|id| id.as_bytes() == text);
    let names_root = [&b"root"[..], b"wheel"]
        .iter()
        .any(|word| contains(text, word));
    is_id || names_root || !is_roots
}

/// `644`, `0755`.
fn is_mode(text: &[u8]) -> bool {
    (3..=5).contains(&text.len()) && text.iter().all(|byte| (b'0'..=b'7').contains(byte))
}
