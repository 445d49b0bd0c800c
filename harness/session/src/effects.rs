//! What a subject did to files: snapshots of their state, and the changes between two snapshots.
//!
//! In the overlay tier, a snapshot reads the upper directories and compares them with the machine's
//! files below. Therefore a file that was only copied up is no effect. The time stamps of
//! directories are not compared.

mod diff;
mod entry;
mod walk;

pub use entry::{Digest, Entry, FileKind};
pub(crate) use walk::{Access, Cache, Lower, Root, walk};

use std::collections::BTreeMap;
use std::sync::Arc;

use stickler_transcript::Change;

/// The largest file whose content a snapshot keeps, in bytes.
pub const CONTENT_BYTES: u64 = 64 * 1024;
/// How many bytes of contents one snapshot keeps.
pub const SNAPSHOT_CONTENT_BYTES: u64 = 4 << 20;
/// How many files a snapshot lists at most.
pub const SNAPSHOT_ENTRIES: usize = 10_000;
/// How many bytes a snapshot reads at most.
pub const SNAPSHOT_READ_BYTES: u64 = 64 << 20;
/// How many levels of directories a snapshot descends at most.
pub const SNAPSHOT_DEPTH: usize = 100;

/// The state of everything that differs from the machine's own files; in tiers without overlays,
/// the state of the scratch directory.
///
/// Paths are absolute, as the subject sees them, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    states: BTreeMap<Vec<u8>, State>,
    truncated: bool,
}

/// The entry at a path, and the machine's own entry there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    now: Option<Arc<Entry>>,
    lower: Option<Arc<Entry>>,
}

impl Snapshot {
    /// The entries by path. Deleted files of the machine are not listed.
    pub fn entries(&self) -> impl Iterator<Item = (&[u8], &Entry)> {
        self.states
            .iter()
            .filter_map(|(path, state)| Some((path.as_slice(), state.now.as_deref()?)))
    }

    /// The entry at a path, if it differs from the machine's own file there.
    pub fn get(&self, path: impl AsRef<[u8]>) -> Option<&Entry> {
        self.states.get(path.as_ref())?.now.as_deref()
    }

    /// The entry at a path in the form of transcripts; the outer `None` says that the machine's own
    /// file there is unchanged.
    pub(crate) fn recorded(&self, path: &[u8]) -> Option<Option<stickler_transcript::Entry>> {
        let state = self.states.get(path)?;
        Some(state.now.as_deref().map(diff::record))
    }

    /// Did the snapshot reach a limit: too many files, too many bytes, or too deep directories?
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// The changes since an earlier snapshot of the same sandbox, ordered by path.
    pub fn diff(&self, earlier: &Self) -> Vec<Change> {
        self.diff_up_to(earlier, usize::MAX).0
    }

    /// At most `most` of the changes, and whether there are or may be more.
    pub fn diff_up_to(&self, earlier: &Self, most: usize) -> (Vec<Change>, bool) {
        let (changes, more) = diff::diff(self, earlier, most);
        (changes, more || self.truncated || earlier.truncated)
    }
}
