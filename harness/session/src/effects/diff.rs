//! Computes the changes between two snapshots.

use std::cmp::Ordering;

use stickler_transcript::{Bytes, Change, ChangeKind, FileType};

use super::{Entry, FileKind, Snapshot};

/// The changes by path, at most `most`, and whether there are more.
pub(super) fn diff(later: &Snapshot, earlier: &Snapshot, most: usize) -> (Vec<Change>, bool) {
    let mut changes = Vec::new();
    let (mut new, mut old) = (
        later.states.iter().peekable(),
        earlier.states.iter().peekable(),
    );
    loop {
        let order = match (new.peek(), old.peek()) {
            (Some((one, _)), Some((other, _))) => one.cmp(other),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return (changes, false),
        };
        let after = new.next_if(|_| order.is_le());
        let before = old.next_if(|_| order.is_ge());
        let Some((path, _)) = after.or(before) else {
            return (changes, false);
        };
        let (before, after, same_place) = match (before, after) {
            (Some((_, before)), Some((_, after))) => {
                (&before.now, &after.now, before.now.is_some())
            }
            // A truncated snapshot says nothing about paths that it does not list.
            (None, Some((_, after))) if !earlier.truncated => (&after.lower, &after.now, false),
            (Some((_, before)), None) if !later.truncated => (&before.now, &before.lower, false),
            _ => continue,
        };
        for kind in compare(before.as_deref(), after.as_deref(), same_place) {
            if changes.len() >= most {
                return (changes, true);
            }
            changes.push(Change {
                path: path.as_slice().into(),
                kind,
                before: before.as_deref().map(record),
                after: after.as_deref().map(record),
            });
        }
    }
}

/// Converts an entry into the form of transcripts.
pub(super) fn record(entry: &Entry) -> stickler_transcript::Entry {
    stickler_transcript::Entry {
        kind: match entry.kind {
            FileKind::File => FileType::File,
            FileKind::Directory => FileType::Directory,
            FileKind::Symlink => FileType::Link,
            FileKind::Fifo | FileKind::Socket | FileKind::Device => FileType::Special,
        },
        mode: entry.mode,
        uid: entry.uid,
        gid: entry.gid,
        size: entry.size,
        digest: entry.digest.map(|digest| digest.to_string()),
        content: match &entry.link {
            Some(link) => Some(link.as_slice().into()),
            None => entry.content.as_deref().map(Bytes::from),
        },
    }
}

/// How two entries differ. Inode numbers are only compared if both come from the same file system
/// (`same_place`).
fn compare(before: Option<&Entry>, after: Option<&Entry>, same_place: bool) -> Vec<ChangeKind> {
    let (before, after) = match (before, after) {
        (None, None) => return Vec::new(),
        (None, Some(_)) => return vec![ChangeKind::Created],
        (Some(_), None) => return vec![ChangeKind::Deleted],
        (Some(before), Some(after)) => (before, after),
    };
    if before.kind != after.kind || before.device != after.device {
        return vec![ChangeKind::Changed];
    }
    let mut kinds = Vec::new();
    let replaced = same_place && before.inode != after.inode;
    match before.kind {
        FileKind::File if before.size != after.size || before.digest != after.digest => {
            kinds.push(ChangeKind::Changed);
        }
        FileKind::File if replaced || before.modified != after.modified => {
            kinds.push(ChangeKind::Rewritten);
        }
        FileKind::Symlink if before.link != after.link => kinds.push(ChangeKind::Link),
        _ if replaced => kinds.push(ChangeKind::Rewritten),
        _ => {}
    }
    if before.mode != after.mode {
        kinds.push(ChangeKind::Mode);
    }
    if (before.uid, before.gid) != (after.uid, after.gid) {
        kinds.push(ChangeKind::Owner);
    }
    if before.xattrs != after.xattrs {
        kinds.push(ChangeKind::Xattr);
    }
    kinds
}

/// Is the entry in the upper directory an unchanged copy of the machine's file?
pub(super) fn is_plain_copy(lower: &Entry, upper: &Entry) -> bool {
    compare(Some(lower), Some(upper), false).is_empty()
}
