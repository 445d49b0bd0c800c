//! What a subject leaves on disk.

use std::collections::BTreeMap;
use stickler_reading::words::{cut, shown, visible};
use stickler_reading::{Observation, kind_words, otherwise, same_content, within};
use stickler_transcript::{
    Account, Bytes, Case, Change as Effect, ChangeKind, Declared, Entry, FileType,
};

/// How many characters of a path or a content are shown.
const SHOWN: usize = 60;
/// Places of files that a subject keeps for itself: locks, caches, unfinished work.
const TEMPORARY: [&[u8]; 4] = [b"/tmp", b"/var/tmp", b"/dev/shm", b"/run"];

/// The paths at which something differs.
pub type Left = BTreeMap<Bytes, Change>;

/// What was at a path, and what is there now.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Before.
    pub before: Option<Entry>,
    /// Now.
    pub after: Option<Entry>,
}

/// What differs after these observations from the state before them.
pub(super) fn left(observations: &[Observation], case: &Case) -> Left {
    let mut left = Left::new();
    let changes = observations.iter().flat_map(|one| &one.changes);
    for change in changes.filter(|change| counts(&change.path, case)) {
        let after = match change.kind {
            ChangeKind::Deleted => None,
            _ => change.after.clone(),
        };
        let known = left.entry(change.path.clone());
        let before = || Change {
            before: change.before.clone(),
            after: None,
        };
        known.or_insert_with(before).after = after;
    }
    left.retain(|_, change| !alike(change.before.as_ref(), change.after.as_ref()));
    left
}

/// Is a path none of those that a subject keeps for itself, in its home and among temporary files?
fn counts(path: &[u8], case: &Case) -> bool {
    let is_ours = case.dirs.iter().any(|dir| within(path, dir));
    is_ours || !TEMPORARY.iter().any(|folder| within(path, folder))
}

/// The steps that undo these changes are those of the effects that they amount to.
pub(super) fn effects(left: &Left) -> Vec<Effect> {
    let of = |(path, change): (&Bytes, &Change)| {
        let kind = match (&change.before, &change.after) {
            (None, _) => ChangeKind::Created,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(before), Some(after)) if before.kind != after.kind => ChangeKind::Link,
            (Some(before), Some(after)) if !same_content(before, after) => match after.kind {
                FileType::Link => ChangeKind::Link,
                _ => ChangeKind::Changed,
            },
            (Some(before), Some(after)) if before.mode != after.mode => ChangeKind::Mode,
            _ => ChangeKind::Owner,
        };
        Effect {
            path: path.clone(),
            kind,
            before: change.before.clone(),
            after: change.after.clone(),
        }
    };
    left.iter().map(of).collect()
}

/// Is the same at a path, as far as a comparison goes?
pub(super) fn alike(one: Option<&Entry>, other: Option<&Entry>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            let has_mode = one.kind != FileType::Link;
            (one.uid, one.gid) == (other.uid, other.gid)
                && (!has_mode || one.mode == other.mode)
                && same_content(one, other)
        }
        _ => false,
    }
}

/// How an entry differs from another one, in words. `None` if it does not.
pub(super) fn difference(wanted: Option<&Entry>, found: Option<&Entry>) -> Option<String> {
    if alike(wanted, found) {
        return None;
    }
    let (wanted, found) = match (wanted, found) {
        (Some(wanted), Some(found)) => (wanted, found),
        (Some(wanted), None) => {
            return Some(format!(
                "nothing is there instead of {}",
                kind_words(wanted.kind)
            ));
        }
        (None, found) => {
            let kind = found.map_or("something", |found| kind_words(found.kind));
            return Some(format!("{kind} is there instead of nothing"));
        }
    };
    let has_content = matches!(wanted.kind, FileType::File | FileType::Link);
    let declared = Declared::Creates {
        path: Bytes::default(),
        kind: Some(wanted.kind),
        mode: (wanted.kind != FileType::Link).then_some(wanted.mode),
        owner: Some(Account::Number(wanted.uid)),
        group: Some(Account::Number(wanted.gid)),
        content: wanted.content.clone().filter(|_| has_content),
    };
    let words = otherwise(&declared, found);
    Some(words.unwrap_or_else(|| "it has other content".to_owned()))
}

/// What is at a path, in words.
pub fn in_words(entry: Option<&Entry>, case: &Case) -> String {
    let Some(entry) = entry else {
        return "nothing".to_owned();
    };
    let owner = format!("{}:{}", entry.uid, entry.gid);
    let content = entry.content.as_ref();
    match entry.kind {
        FileType::File => {
            let content = match (content, &entry.digest) {
                (Some(content), _) if content.len() <= 200 => {
                    format!("\"{}\"", cut(&visible(content), SHOWN))
                }
                (_, Some(digest)) => format!("{} bytes, {}", entry.size, cut(digest, 20)),
                _ => format!("{} bytes", entry.size),
            };
            format!("file {:04o} {owner} {content}", entry.mode)
        }
        FileType::Directory => format!("directory {:04o} {owner}", entry.mode),
        FileType::Link => {
            let target = content.map_or_else(String::new, |it| shown(it, case, SHOWN));
            format!("link {owner} → {target}")
        }
        FileType::Special => format!("special file {:04o} {owner}", entry.mode),
    }
}

#[cfg(test)]
mod tests {
    use super::{Left, alike, difference, left};
    use stickler_reading::Observation;
    use stickler_transcript::{Bytes, Case, Change as Effect, ChangeKind, Entry, FileType};

    fn file(content: &str, mode: u32) -> Entry {
        Entry {
            kind: FileType::File,
            mode,
            uid: 0,
            gid: 0,
            size: content.len() as u64,
            digest: None,
            content: Some(content.into()),
        }
    }

    fn observed(path: &str, kind: ChangeKind, states: [Option<Entry>; 2]) -> Observation {
        let [before, after] = states;
        Observation {
            point: String::new(),
            exchanges: Vec::new(),
            changes: vec![Effect {
                path: path.into(),
                kind,
                before,
                after,
            }],
            truncated: false,
        }
    }

    #[test]
    fn a_file_created_and_deleted_again_is_not_left_behind() {
        let made = Some(file("x", 0o644));
        let all = [
            observed("/srv/a", ChangeKind::Created, [None, made.clone()]),
            observed("/srv/a", ChangeKind::Deleted, [made, None]),
        ];
        assert_eq!(left(&all, &Case::default()), Left::new());
    }

    #[test]
    fn temporary_files_are_left_out_and_scratch_directories_are_not() {
        let case = Case {
            dirs: vec!["/tmp/stickler/dir".into()],
            ..Case::default()
        };
        let made = || [None, Some(file("x", 0o644))];
        let all = [
            observed("/tmp/lock", ChangeKind::Created, made()),
            observed("/tmp/stickler/home/.x", ChangeKind::Created, made()),
            observed("/tmp/stickler/dir/a", ChangeKind::Created, made()),
        ];
        let found = left(&all, &case);
        let paths: Vec<&Bytes> = found.keys().collect();
        assert_eq!(paths, [&Bytes::from("/tmp/stickler/dir/a")]);
    }

    #[test]
    fn differences_are_told_in_words() {
        let (one, other) = (file("a\n", 0o644), file("a", 0o644));
        assert!(!alike(Some(&one), Some(&other)));
        let told = |wanted, found| difference(wanted, found).expect("they differ");
        assert_eq!(told(Some(&one), None), "nothing is there instead of a file");
        assert_eq!(told(None, Some(&one)), "a file is there instead of nothing");
        assert_eq!(
            told(Some(&one), Some(&other)),
            "it begins with `a` instead of `a⏎`"
        );
        let open = file("a\n", 0o666);
        assert_eq!(
            told(Some(&one), Some(&open)),
            "its mode is 0666 instead of 0644"
        );
        // Digits count here, unlike where two runs of one subject are compared.
        assert!(difference(Some(&file("1", 0o644)), Some(&file("2", 0o644))).is_some());
        assert_eq!(difference(Some(&one), Some(&one)), None);
    }
}
