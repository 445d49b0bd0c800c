//! What a subject left behind: the state of files at a moment, and what changed between two.
//!
//! In the overlay tier the state is read from the upper directories, and compared with the files
//! of the machine below them, so a file that was only copied up is no effect. Directories' own
//! times are none either.

mod diff;
mod entry;
mod walk;

pub use entry::{Digest, Entry, FileKind};
pub(crate) use walk::{Access, Cache, Lower, Root, walk};

use std::collections::BTreeMap;
use std::sync::Arc;

use stickler_transcript::Change;

/// Contents are kept of files up to this many bytes.
pub const CONTENT_BYTES: u64 = 64 * 1024;
/// Contents are kept up to this many bytes in one snapshot.
pub const SNAPSHOT_CONTENT_BYTES: u64 = 4 << 20;
/// A snapshot lists this many files at most.
pub const SNAPSHOT_ENTRIES: usize = 20_000;
/// A snapshot reads this many bytes at most.
pub const SNAPSHOT_READ_BYTES: u64 = 64 << 20;
/// A snapshot descends this many directories at most.
pub const SNAPSHOT_DEPTH: usize = 100;

/// The state of everything that differs from what lay there before the sandbox; in the tiers
/// without overlays, of the scratch directory.
///
/// Paths are absolute, as the subject sees them, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    states: BTreeMap<Vec<u8>, State>,
    truncated: bool,
}

/// What is at a path, and what would be without the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    now: Option<Arc<Entry>>,
    lower: Option<Arc<Entry>>,
}

impl Snapshot {
    /// What is there, by path. What was deleted from the machine's own files is not listed.
    pub fn entries(&self) -> impl Iterator<Item = (&[u8], &Entry)> {
        self.states
            .iter()
            .filter_map(|(path, state)| Some((path.as_slice(), state.now.as_deref()?)))
    }

    /// What is at a path, if it differs from the machine's own file there.
    pub fn get(&self, path: impl AsRef<[u8]>) -> Option<&Entry> {
        self.states.get(path.as_ref())?.now.as_deref()
    }

    /// There was more than a snapshot takes: more files, more bytes, or deeper directories.
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// What changed since an earlier snapshot of the same sandbox, in the order of paths.
    pub fn diff(&self, earlier: &Self) -> Vec<Change> {
        diff::diff(self, earlier)
    }
}
