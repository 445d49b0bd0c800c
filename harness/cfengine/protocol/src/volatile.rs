//! What differs from run to run: dates, process numbers and random letters in names.

use crate::compare::{self, pairs};
use crate::effects::effects_of;
use crate::session::{Exchange, Session};
use crate::shape::Shape;
use crate::temporary::looks_temporary;
use std::collections::BTreeSet;
use stickler_judge::{Group, Role};
use stickler_reading::{entry_difference, within};
use stickler_transcript::{Change, ChangeKind, Entry, FileType};

/// What differs between sessions that did the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Volatile {
    paths: BTreeSet<Vec<u8>>,
    /// Paths that all runs have.
    steady: BTreeSet<Vec<u8>>,
    /// Names that each process chooses anew.
    shapes: Vec<Shape>,
    /// Directories in which each run creates other names, of no shape that they have in common.
    directories: BTreeSet<Vec<u8>>,
}

/// At most so many new names of a run are compared with those of another.
const MOST: usize = 40;

impl Volatile {
    /// What differs between a group's baseline and its repetitions, and between the temporary files of all
    /// its sessions.
    pub(crate) fn of(group: &Group<'_, Session>) -> Volatile {
        let Some((_, baseline)) = group.baseline() else {
            return Volatile::default();
        };
        let mut volatile = Volatile {
            paths: compare::volatile(group),
            ..Volatile::default()
        };
        for (_, again) in group.role(Role::Again) {
            for (one, other) in pairs(baseline, again) {
                let promised = (
                    effects_of(one, baseline.case()),
                    effects_of(other, again.case()),
                );
                let paths: BTreeSet<&&[u8]> = promised.0.keys().chain(promised.1.keys()).collect();
                for path in paths {
                    if promised.0.get(*path) != promised.1.get(*path) {
                        volatile.paths.insert(path.to_vec());
                    }
                }
                volatile.learn(&changed(one), &changed(other), baseline);
            }
        }
        let all = [baseline]
            .into_iter()
            .chain(group.variants().map(|variant| variant.2));
        let temporary: Vec<_> = all
            .map(temporary)
            .filter(|paths| !paths.is_empty())
            .collect();
        for both in temporary.windows(2) {
            volatile.shapes.extend(shapes(&both[0], &both[1]).0);
        }
        volatile
    }

    /// Learns from the paths that the same evaluation changed in two runs.
    fn learn(&mut self, one: &BTreeSet<&[u8]>, other: &BTreeSet<&[u8]>, session: &Session) {
        self.steady
            .extend(one.intersection(other).map(|path| path.to_vec()));
        let (shapes, rest) = shapes(one, other);
        self.shapes.extend(shapes);
        for path in rest {
            let directory = split(path).0;
            let root = session.case().dirs.iter().any(|dir| dir[..] == *directory);
            let scratch = session.case().dirs.iter().any(|dir| within(directory, dir));
            if scratch && !root && !looks_temporary(path, &[]) {
                self.directories.insert(directory.to_vec());
            }
        }
    }

    /// Does this path, or a similar name beside it, differ in each run?
    pub(crate) fn covers(&self, path: &[u8]) -> bool {
        if self.paths.contains(path) {
            return true;
        }
        if self.steady.contains(path) {
            return false;
        }
        let below = |directory: &Vec<u8>| within(path, directory) && path != &directory[..];
        let beside = |known: &Vec<u8>| {
            let ((a, x), (b, y)) = (split(known), split(path));
            a == b && x.get(..2).is_some_and(|start| y.starts_with(start))
        };
        self.directories.iter().any(below)
            || looks_temporary(path, &[]) && self.paths.iter().any(beside)
            || self.shapes.iter().any(|shape| shape.covers(path))
    }
}

/// Do two paths look like names that two processes chose for the same thing?
pub(crate) fn is_renamed(one: &[u8], other: &[u8]) -> bool {
    is_dated_alike(one, other) || Shape::of(one, other).is_some_and(|shape| shape.is_certain())
}

/// How what is at a path differs, in words. Links to names that each process chooses anew do not.
pub(crate) fn difference(before: &Entry, after: &Entry) -> Option<String> {
    if let (FileType::Link, FileType::Link) = (before.kind, after.kind)
        && let (Some(before), Some(after)) = (&before.content, &after.content)
        && is_renamed(before, after)
    {
        return None;
    }
    entry_difference(before, after)
}

/// Does an evaluation replace a name that another process of the session chose by one of its own?
pub(crate) fn renews(session: &Session, exchange: &Exchange, change: &Change) -> bool {
    let is_others = |path: &[u8]| {
        let earlier = session
            .exchanges
            .iter()
            .filter(|one| one.process != exchange.process);
        let mut effects = earlier.flat_map(|one| one.effects.iter().flatten());
        effects.any(|one| one.kind == ChangeKind::Created && one.path[..] == *path)
    };
    let mut others = exchange.effects.iter().flatten();
    others.any(|other| {
        let (old, new) = match (change.kind, other.kind) {
            (ChangeKind::Deleted, ChangeKind::Created) => (change, other),
            (ChangeKind::Created, ChangeKind::Deleted) => (other, change),
            _ => return false,
        };
        is_others(&old.path) && Shape::of(&old.path, &new.path).is_some()
    })
}

/// The paths that an evaluation changed, wherever they are.
fn changed(exchange: &Exchange) -> BTreeSet<&[u8]> {
    let changes = exchange.effects.iter().flatten();
    changes.map(|change| &change.path[..]).collect()
}

/// The files that a session's own process made for a moment.
fn temporary(session: &Session) -> BTreeSet<&[u8]> {
    if session.observations.len() < 2 {
        return BTreeSet::new();
    }
    let left = session.end_state();
    let writes = session
        .exchanges
        .iter()
        .filter_map(|one| one.writes.as_ref());
    let own = writes.flat_map(|writes| &writes.own).map(|path| &path[..]);
    own.filter(|path| !left.contains_key(path)).collect()
}

/// The shapes of the paths that only one of two runs has, and the paths that have no shape in common with
/// one of the other run.
fn shapes<'p>(one: &BTreeSet<&'p [u8]>, other: &BTreeSet<&'p [u8]>) -> (Vec<Shape>, Vec<&'p [u8]>) {
    let only = |one: &BTreeSet<&'p [u8]>, other| -> Vec<&'p [u8]> {
        one.difference(other).copied().take(MOST).collect()
    };
    let (left, right) = (only(one, other), only(other, one));
    let mut shapes = Vec::new();
    let mut rest: BTreeSet<&[u8]> = left.iter().chain(&right).copied().collect();
    for one in &left {
        for other in &right {
            let Some(shape) = Shape::of(one, other) else {
                continue;
            };
            rest.remove(one);
            rest.remove(other);
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
    }
    (shapes, rest.into_iter().collect())
}

fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&[], path),
    }
}

/// Do two paths differ only in numbers in their names, such as a date or a process number? The first word
/// of each name is the same.
pub fn is_dated_alike(one: &[u8], other: &[u8]) -> bool {
    let names = |path| <[u8]>::split(path, |byte| *byte == b'/');
    one != other
        && names(one).count() == names(other).count()
        && names(one).zip(names(other)).all(|(one, other)| {
            one == other || {
                let (one, other) = (pieces(one), pieces(other));
                let first = |name: &[&[u8]]| name.iter().position(|word| is_word(word));
                let start = first(&one).map_or(one.len(), |at| at + 1);
                one.len() == other.len()
                    && one.get(..start) == other.get(..start)
                    && one.iter().zip(&other).all(|(one, other)| {
                        one == other
                            || is_word(one)
                                && is_word(other)
                                && numberless(one) == numberless(other)
                    })
            }
        })
}

/// A name as words and what separates them.
fn pieces(name: &[u8]) -> Vec<&[u8]> {
    let alike = |one: &u8, other: &u8| one.is_ascii_alphanumeric() == other.is_ascii_alphanumeric();
    name.chunk_by(alike).collect()
}

fn is_word(piece: &[u8]) -> bool {
    piece.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// The word with `#` in place of each number.
fn numberless(word: &[u8]) -> Vec<u8> {
    let runs = word.chunk_by(|one, other| one.is_ascii_digit() && other.is_ascii_digit());
    runs.map(|run| {
        if run[0].is_ascii_digit() {
            b'#'
        } else {
            run[0]
        }
    })
    .collect()
}
