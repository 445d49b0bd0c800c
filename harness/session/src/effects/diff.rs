//! Computes the changes between two snapshots.

use std::sync::Arc;

use stickler_transcript::{Bytes, Change, ChangeKind, FileType};

use super::{Entry, FileKind, Snapshot};

pub(super) fn diff(later: &Snapshot, earlier: &Snapshot) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut note = |path: &Vec<u8>,
                    before: &Option<Arc<Entry>>,
                    after: &Option<Arc<Entry>>,
                    same_place: bool| {
        for kind in compare(before.as_deref(), after.as_deref(), same_place) {
            changes.push(Change {
                path: path.as_slice().into(),
                kind,
                before: before.as_deref().map(record),
                after: after.as_deref().map(record),
            });
        }
    };
    for (path, state) in &later.states {
        match earlier.states.get(path) {
            Some(before) => {
                let same_place = before.now.is_some();
                note(path, &before.now, &state.now, same_place);
            }
            None => note(path, &state.lower, &state.now, false),
        }
    }
    for (path, before) in &earlier.states {
        // A truncated snapshot says nothing about paths that it does not list.
        if !later.states.contains_key(path) && !later.truncated {
            note(path, &before.now, &before.lower, false);
        }
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
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
