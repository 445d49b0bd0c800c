//! What differs from run to run: dates, process numbers and random letters in names.

use crate::compare::{self, pairs};
use crate::effects::effects_of;
use crate::session::Session;
use crate::temporary::looks_temporary;
use std::collections::BTreeSet;
use stickler_judge::{Group, Role};
use stickler_reading::within;

/// What differs between sessions that did the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Volatile {
    paths: BTreeSet<Vec<u8>>,
    /// Directories in which each run creates other names.
    directories: BTreeSet<Vec<u8>>,
    /// Paths that one run created and another did not.
    random: BTreeSet<Vec<u8>>,
}

impl Volatile {
    /// What differs between a group's baseline and its repetitions.
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
                let (one, other) = (
                    effects_of(one, baseline.case()),
                    effects_of(other, again.case()),
                );
                let paths: BTreeSet<&&[u8]> = one.keys().chain(other.keys()).collect();
                for path in paths {
                    let (before, after) = (one.get(*path), other.get(*path));
                    if before != after {
                        volatile.paths.insert(path.to_vec());
                    }
                    let directory = split(path).0;
                    let root = baseline.case().dirs.iter().any(|dir| dir[..] == *directory);
                    if before.is_some() == after.is_some() {
                        continue;
                    }
                    volatile.random.insert(path.to_vec());
                    if !root && !looks_temporary(path, &[]) {
                        volatile.directories.insert(directory.to_vec());
                    }
                }
            }
        }
        volatile
    }

    /// Does this path, or a similar name beside it, differ in each run?
    pub(crate) fn covers(&self, path: &[u8]) -> bool {
        let below = |directory: &Vec<u8>| within(path, directory) && path != &directory[..];
        if self.directories.iter().any(below) {
            return true;
        }
        let beside = |known: &Vec<u8>| {
            let ((a, x), (b, y)) = (split(known), split(path));
            a == b && x.get(..2).is_some_and(|start| y.starts_with(start))
        };
        self.paths.contains(path)
            || looks_temporary(path, &[]) && self.paths.iter().any(beside)
            // Random letters at the end of a name, as `mktemp` adds them.
            || self
                .random
                .iter()
                .any(|known| known.len() == path.len() && beside(known))
            || up(path).any(|above| self.random.iter().any(|known| is_random_alike(known, above)))
    }
}

fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&[], path),
    }
}

/// The path and the directories above it.
fn up(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let above = ends
        .map(|(at, _)| &path[..at])
        .filter(|above| !above.is_empty());
    above.chain([path])
}

/// Do two paths differ only in numbers in their names, such as a date or a process number?
pub(crate) fn is_dated_alike(one: &[u8], other: &[u8]) -> bool {
    is_alike(one, other, |one, other| {
        numberless(one) == numberless(other)
    })
}

/// Do two paths differ only in numbers and in words of the same length?
fn is_random_alike(one: &[u8], other: &[u8]) -> bool {
    is_alike(one, other, |one, other| {
        numberless(one) == numberless(other) || one.len() == other.len() && one.len() >= 6
    })
}

/// Are the words of two paths alike, with the same characters between them? The first word of each
/// name is the same.
fn is_alike(one: &[u8], other: &[u8], words: impl Fn(&[u8], &[u8]) -> bool) -> bool {
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
                        one == other || is_word(one) && is_word(other) && words(one, other)
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

#[cfg(test)]
mod tests {
    use super::{is_dated_alike, is_random_alike};

    #[test]
    fn names_with_other_dates_and_numbers_are_alike() {
        for (one, other) in [
            ("/x/a.20260131-120000", "/x/a.20260131-120001"),
            (
                "/x/a.conf.2026-01-31T12:00:00Z",
                "/x/a.conf.2026-01-31T12:00:01Z",
            ),
            ("/x/backup-9/a", "/x/backup-10/a"),
            ("/x/.a.20260131T120000Z.bak", "/x/.a.20260131T120059Z.bak"),
        ] {
            assert!(is_dated_alike(one.as_bytes(), other.as_bytes()), "{one}");
        }
        for (one, other) in [
            ("/x/a", "/x/a"),
            ("/x/a.1", "/x/b.2"),
            ("/x/1", "/x/2"),
            ("/x/a.conf", "/x/a.conf.1"),
            ("/x/a.old", "/x/a.new"),
            ("/x/a.1", "/y/a.2"),
        ] {
            assert!(!is_dated_alike(one.as_bytes(), other.as_bytes()), "{one}");
        }
    }

    #[test]
    fn names_with_a_process_number_and_random_letters_are_alike() {
        let alike = |one: &str, other: &str| is_random_alike(one.as_bytes(), other.as_bytes());
        assert!(alike("/x/stage.9.kwzpqr", "/x/stage.12.hnvbty"));
        assert!(alike("/x/.stage-9-Ab3dEf/in", "/x/.stage-12-Zx9yWv/in"));
        assert!(!alike("/x/stage.9.kwzpqr", "/x/other.12.hnvbty"));
        assert!(!alike("/x/stage.9.kwz", "/x/stage.12.hnv"));
    }
}
