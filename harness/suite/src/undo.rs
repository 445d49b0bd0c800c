//! Undoes from outside what an evaluation did.

use std::cmp::Reverse;
use stickler_transcript::{Bytes, Change, ChangeKind, Drift, Entry, FileType};

/// The steps that restore the state before these changes, in order. `None` if that state is not
/// known well enough.
pub fn undo(changes: &[Change]) -> Option<Vec<Drift>> {
    let mut made: Vec<&Change> = Vec::new();
    let mut gone: Vec<&Change> = Vec::new();
    for change in changes {
        match change.kind {
            ChangeKind::Created => made.push(change),
            ChangeKind::Deleted
            | ChangeKind::Changed
            | ChangeKind::Mode
            | ChangeKind::Owner
            | ChangeKind::Link => gone.push(change),
            ChangeKind::Rewritten => {}
            ChangeKind::Xattr => return None,
        }
    }
    // Entries in a directory are removed before it, and restored after it.
    made.sort_by_key(|change| Reverse(change.path.len()));
    gone.sort_by_key(|change| change.path.len());
    let mut drifts: Vec<Drift> = made
        .iter()
        .map(|change| Drift::Remove {
            path: change.path.clone(),
        })
        .collect();
    for change in gone {
        let before = change.before.as_ref()?;
        if matches!(
            change.kind,
            ChangeKind::Deleted | ChangeKind::Changed | ChangeKind::Link
        ) {
            if change.kind == ChangeKind::Link {
                drifts.push(Drift::Remove {
                    path: change.path.clone(),
                });
            }
            drifts.push(again(&change.path, before)?);
        }
        if before.kind != FileType::Link {
            drifts.push(Drift::Mode {
                path: change.path.clone(),
                mode: before.mode,
            });
            drifts.push(Drift::Owner {
                path: change.path.clone(),
                uid: before.uid,
                gid: before.gid,
            });
        }
    }
    (!drifts.is_empty()).then_some(drifts)
}

/// Restores an entry, except its mode and owner.
fn again(path: &Bytes, entry: &Entry) -> Option<Drift> {
    let path = path.clone();
    match entry.kind {
        FileType::Directory => Some(Drift::Directory { path }),
        FileType::Link => Some(Drift::Link {
            path,
            target: entry.content.clone()?,
        }),
        FileType::File if entry.size == 0 => Some(Drift::Write {
            path,
            content: Bytes::default(),
        }),
        FileType::File => {
            let content = entry.content.clone()?;
            let whole = usize::try_from(entry.size).is_ok_and(|size| size == content.len());
            whole.then_some(Drift::Write { path, content })
        }
        FileType::Special => None,
    }
}

#[cfg(test)]
mod tests {
    use super::undo;
    use stickler_transcript::{Change, ChangeKind, Drift, Entry, FileType};

    fn entry(kind: FileType, content: &str) -> Entry {
        Entry {
            kind,
            mode: 0o640,
            uid: 0,
            gid: 0,
            size: content.len() as u64,
            digest: None,
            content: Some(content.into()),
        }
    }

    fn change(path: &str, kind: ChangeKind, before: Option<Entry>) -> Change {
        Change {
            path: path.into(),
            kind,
            before,
            after: None,
        }
    }

    #[test]
    fn directories_are_removed_after_their_content() {
        let changes = [
            change("/d", ChangeKind::Created, None),
            change("/d/f", ChangeKind::Created, None),
        ];
        let paths: Vec<_> = undo(&changes).into_iter().flatten().collect();
        assert!(matches!(&paths[0], Drift::Remove { path } if path[..] == b"/d/f"[..]));
        assert!(matches!(&paths[1], Drift::Remove { path } if path[..] == b"/d"[..]));
    }

    #[test]
    fn a_file_gets_its_content_back() {
        let changes = [change(
            "/f",
            ChangeKind::Changed,
            Some(entry(FileType::File, "old")),
        )];
        let drifts = undo(&changes).expect("it is known");
        assert!(matches!(&drifts[0], Drift::Write { content, .. } if content[..] == b"old"[..]));
        assert!(matches!(&drifts[1], Drift::Mode { mode: 0o640, .. }));
    }

    #[test]
    fn partly_known_files_are_left_alone() {
        let mut long = entry(FileType::File, "old");
        long.size = 100_000;
        assert_eq!(undo(&[change("/f", ChangeKind::Changed, Some(long))]), None);
        assert_eq!(undo(&[]), None);
    }
}
