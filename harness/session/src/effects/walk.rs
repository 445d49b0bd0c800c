//! Reads the state of a directory tree while a hostile program may change it. Never follows a link,
//! never blocks, and stops at limits.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Statx, StatxFlags};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

use super::diff::is_plain_copy;
use super::{
    CONTENT_BYTES, Digest, Entry, FileKind, SNAPSHOT_CONTENT_BYTES, SNAPSHOT_DEPTH,
    SNAPSHOT_ENTRIES, SNAPSHOT_READ_BYTES, Snapshot, State,
};

/// A directory of the machine that is the lower directory of an overlay.
#[derive(Debug)]
pub(crate) struct Lower {
    dir: OwnedFd,
}

impl Lower {
    pub(crate) fn open(path: &Path) -> Result<Self, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            dir: rustix::fs::open(path, flags, Mode::empty())?,
        })
    }
}

/// Asks for a descriptor of a file that the harness may not open, by the number of a root and the
/// path below it.
pub(crate) type Open<'a> = &'a mut dyn FnMut(usize, &[u8], Access) -> Option<OwnedFd>;

/// What a descriptor is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// To read its content.
    Read,
    /// To read its attributes only.
    Look,
}

/// A tree to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root<'a> {
    pub(crate) dir: BorrowedFd<'a>,
    /// Its path as the subject sees it.
    pub(crate) at: &'a Path,
    /// The lower directory of the overlay.
    pub(crate) lower: Option<&'a Lower>,
}

/// The device and inode number of a file.
type Inode = (u64, u64);

/// The change time of a file: seconds and nanoseconds.
type Changed = (i64, u32);

/// Results of earlier snapshots. They are valid as long as the change times stay the same.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    known: HashMap<Inode, Known>,
    listed: HashMap<Inode, Listed>,
}

#[derive(Clone, Debug)]
struct Known {
    entry: Arc<Entry>,
    changed: Changed,
    trusted: bool,
}

/// The names in a directory.
#[derive(Clone, Debug)]
struct Listed {
    names: Arc<[CString]>,
    changed: Changed,
}

/// The clock of the change times.
fn clock() -> Changed {
    let now = clock_gettime(ClockId::RealtimeCoarse);
    (now.tv_sec, u32::try_from(now.tv_nsec).unwrap_or_default())
}

/// Reads all roots. If one root contains another, the inner one has precedence.
pub(crate) fn walk(roots: &[Root<'_>], cache: &mut Cache, open: Open<'_>) -> Snapshot {
    let mut walker = Walker {
        snapshot: Snapshot::default(),
        places: roots.iter().map(|root| bytes(root.at)).collect(),
        old: std::mem::take(cache),
        new: Cache::default(),
        begin: clock(),
        read_left: SNAPSHOT_READ_BYTES,
        content_left: SNAPSHOT_CONTENT_BYTES,
        open,
        root: 0,
        below: Vec::new(),
    };
    for (number, root) in roots.iter().enumerate() {
        walker.root = number;
        walker.below.clear();
        walker.root(root);
    }
    *cache = walker.new;
    walker.snapshot
}

fn bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

struct Walker<'a> {
    snapshot: Snapshot,
    places: BTreeSet<Vec<u8>>,
    old: Cache,
    new: Cache,
    begin: Changed,
    read_left: u64,
    content_left: u64,
    open: Open<'a>,
    root: usize,
    /// The path of the current entry below its root.
    below: Vec<u8>,
}

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

impl Walker<'_> {
    fn root(&mut self, root: &Root<'_>) {
        let Ok(found) = stat(root.dir, c"") else {
            self.snapshot.truncated = true;
            return;
        };
        let names = match self.listed(&found) {
            Some(names) => names,
            None => {
                let Some(dir) = self.opened(root.dir, c".", DIRECTORY) else {
                    self.snapshot.truncated = true;
                    return;
                };
                self.list(&dir, &found)
            }
        };
        let lower = root.lower.map(|lower| lower.dir.as_fd());
        let now = self.entry(root.dir, c".", &found, true);
        let below = lower.and_then(|lower| {
            let stat = stat(lower, c"").ok()?;
            self.entry(lower, c".", &stat, false)
        });
        let at = bytes(root.at);
        self.note(at.clone(), now, below);
        let path = if at == b"/" { b"" } else { &*at };
        self.directory(root.dir, &names, lower, path, 0);
    }

    fn note(&mut self, path: Vec<u8>, now: Option<Arc<Entry>>, lower: Option<Arc<Entry>>) {
        match (&now, &lower) {
            (None, None) => return,
            (Some(now), Some(lower)) if is_plain_copy(lower, now) => return,
            _ => {}
        }
        self.snapshot.states.insert(path, State { now, lower });
    }

    /// Is there no room for another entry?
    fn full(&mut self) -> bool {
        let full = self.snapshot.states.len() >= SNAPSHOT_ENTRIES
            || self.new.known.len() >= 2 * SNAPSHOT_ENTRIES;
        self.snapshot.truncated |= full;
        full
    }

    /// Does this change time prove that the cached result is valid? A change in the same clock tick
    /// as the walk would not alter the change time.
    fn is_trusted(&self, changed: Changed) -> bool {
        changed < self.begin
    }

    /// The cached names in a directory, if they are still valid.
    fn listed(&mut self, found: &Statx) -> Option<Arc<[CString]>> {
        let key = inode(found);
        let listed = self.old.listed.get(&key)?;
        if listed.changed != changed(found) {
            return None;
        }
        let listed = listed.clone();
        let names = Arc::clone(&listed.names);
        self.new.listed.insert(key, listed);
        Some(names)
    }

    /// Reads the names in a directory.
    fn list(&mut self, dir: &OwnedFd, found: &Statx) -> Arc<[CString]> {
        let mut names = Vec::new();
        let mut space = [MaybeUninit::uninit(); 8192];
        let mut entries = RawDir::new(dir, &mut space);
        let mut whole = true;
        while let Some(entry) = entries.next() {
            let Ok(entry) = entry else {
                whole = false;
                break;
            };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            if names.len() >= 2 * SNAPSHOT_ENTRIES {
                self.snapshot.truncated = true;
                whole = false;
                break;
            }
            names.push(name.to_owned());
        }
        let names: Arc<[CString]> = names.into();
        let changed = changed(found);
        if whole && self.is_trusted(changed) {
            let names = Arc::clone(&names);
            let listed = Listed { names, changed };
            self.new.listed.insert(inode(found), listed);
        }
        names
    }

    fn directory(
        &mut self,
        dir: BorrowedFd<'_>,
        names: &[CString],
        lower: Option<BorrowedFd<'_>>,
        path: &[u8],
        depth: usize,
    ) {
        if depth > SNAPSHOT_DEPTH {
            self.snapshot.truncated = true;
            return;
        }
        for name in names {
            if self.full() {
                return;
            }
            let child = [path, b"/", name.to_bytes()].concat();
            if self.places.contains(&child) {
                continue;
            }
            let length = self.below.len();
            self.below.extend([b"/", name.to_bytes()].concat());
            self.child(dir, name, lower, child, depth);
            self.below.truncate(length);
        }
    }

    fn child(
        &mut self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        lower: Option<BorrowedFd<'_>>,
        path: Vec<u8>,
        depth: usize,
    ) {
        let mut handle = None;
        let mut found = stat(dir, name);
        if matches!(found, Err(Errno::ACCESS)) {
            // If the harness may not search a directory, it asks the sandbox's init for the entry.
            handle = self.ask(Access::Look);
            if let Some(handle) = &handle {
                found = stat(handle.as_fd(), c"");
            }
        }
        let (place, own) = match &handle {
            Some(handle) => (handle.as_fd(), c""),
            None => (dir, name),
        };
        let Ok(found) = found else {
            return;
        };
        let below = lower.and_then(|lower| Some((lower, stat(lower, name).ok()?)));
        let under = below.and_then(|(lower, stat)| self.entry(lower, name, &stat, false));
        if is_whiteout(&found) {
            return self.note(path, None, under);
        }
        let now = self.entry(place, own, &found, true);
        self.note(path.clone(), now, under);
        if file_type(&found) != FileType::Directory {
            return;
        }
        let below = below.filter(|(_, stat)| file_type(stat) == FileType::Directory);
        let listed = self.listed(&found);
        if below.is_none() && listed.as_deref().is_some_and(<[_]>::is_empty) {
            return;
        }
        let Some(inner) = self.opened(place, own, DIRECTORY) else {
            self.snapshot.truncated = true;
            return;
        };
        let names = listed.unwrap_or_else(|| self.list(&inner, &found));
        let merged = below
            .and_then(|(lower, _)| rustix::fs::openat(lower, name, DIRECTORY, Mode::empty()).ok());
        match merged {
            Some(lower) if is_opaque(&inner) => {
                self.directory(inner.as_fd(), &names, None, &path, depth + 1);
                self.hidden(&lower, &path, depth + 1);
            }
            merged => {
                let lower = merged.as_ref().map(AsFd::as_fd);
                self.directory(inner.as_fd(), &names, lower, &path, depth + 1);
            }
        }
    }

    /// Notes what an opaque directory hides: it is deleted, or replaced by what was already read.
    fn hidden(&mut self, lower: &OwnedFd, path: &[u8], depth: usize) {
        if depth > SNAPSHOT_DEPTH {
            self.snapshot.truncated = true;
            return;
        }
        let mut space = [MaybeUninit::uninit(); 8192];
        let mut entries = RawDir::new(lower, &mut space);
        while let Some(Ok(entry)) = entries.next() {
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            if self.full() {
                return;
            }
            let child = [path, b"/", name.to_bytes()].concat();
            let Ok(found) = stat(lower.as_fd(), name) else {
                continue;
            };
            let under = self.entry(lower.as_fd(), name, &found, false);
            match self.snapshot.states.remove(&child) {
                Some(state) => self.note(child.clone(), state.now, under),
                None => self.note(child.clone(), None, under),
            }
            if file_type(&found) == FileType::Directory
                && let Ok(inner) = rustix::fs::openat(lower, name, DIRECTORY, Mode::empty())
            {
                self.hidden(&inner, &child, depth + 1);
            }
        }
    }

    /// Opens a file; if its permissions forbid that, asks the sandbox's init.
    fn opened(&mut self, dir: BorrowedFd<'_>, name: &CStr, flags: OFlags) -> Option<OwnedFd> {
        match rustix::fs::openat(dir, name, flags, Mode::empty()) {
            Ok(fd) => Some(fd),
            Err(Errno::ACCESS | Errno::PERM) => self.ask(Access::Read),
            // The entry was found with the help of the init.
            Err(Errno::NOENT) if name.is_empty() => self.ask(Access::Read),
            Err(_) => None,
        }
    }

    /// Asks the init to open the current entry.
    fn ask(&mut self, access: Access) -> Option<OwnedFd> {
        let below = self.below.strip_prefix(b"/").unwrap_or(b".");
        (self.open)(self.root, below, access)
    }

    fn entry(
        &mut self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        found: &Statx,
        upper: bool,
    ) -> Option<Arc<Entry>> {
        let (key, changed) = (inode(found), changed(found));
        let known = self.old.known.get(&key);
        if let Some(known) = known.or_else(|| self.new.known.get(&key))
            && known.trusted
            && known.changed == changed
        {
            let known = known.clone();
            let entry = Arc::clone(&known.entry);
            if let Some(content) = &entry.content {
                self.content_left = self.content_left.saturating_sub(content.len() as u64);
            }
            self.new.known.insert(key, known);
            return Some(entry);
        }
        let kind = kind(file_type(found));
        let mut entry = Entry {
            kind,
            mode: u32::from(found.stx_mode) & 0o7777,
            uid: found.stx_uid,
            gid: found.stx_gid,
            size: if kind == FileKind::Directory {
                0
            } else {
                found.stx_size
            },
            digest: None,
            link: None,
            content: None,
            xattrs: BTreeMap::new(),
            modified: (found.stx_mtime.tv_sec, found.stx_mtime.tv_nsec),
            inode: found.stx_ino,
            device: match kind {
                FileKind::Device => (found.stx_rdev_major, found.stx_rdev_minor),
                _ => (0, 0),
            },
        };
        let open = |walker: &mut Self, flags| {
            if upper {
                walker.opened(dir, name, flags)
            } else {
                rustix::fs::openat(dir, name, flags, Mode::empty()).ok()
            }
        };
        match kind {
            FileKind::File => {
                if let Some(file) = open(self, FILE) {
                    self.content(&file, &mut entry);
                    entry.xattrs = attributes(&file);
                }
            }
            FileKind::Directory => {
                if let Some(dir) = open(self, DIRECTORY) {
                    entry.xattrs = attributes(&dir);
                }
            }
            FileKind::Symlink => {
                let link = rustix::fs::readlinkat(dir, name, Vec::new()).ok()?;
                entry.link = Some(link.into_bytes());
            }
            FileKind::Fifo | FileKind::Socket | FileKind::Device => {}
        }
        let entry = Arc::new(entry);
        let unread = kind == FileKind::File && entry.digest.is_none();
        let trusted = self.is_trusted(changed) && !unread;
        self.new.known.insert(
            key,
            Known {
                entry: Arc::clone(&entry),
                changed,
                trusted,
            },
        );
        Some(entry)
    }

    /// Reads as many bytes as the file had before; its type may have changed since.
    fn content(&mut self, file: &OwnedFd, entry: &mut Entry) {
        let Ok(opened) = rustix::fs::fstat(file) else {
            return;
        };
        if FileType::from_raw_mode(opened.st_mode) != FileType::RegularFile {
            return;
        }
        if entry.size > self.read_left {
            self.snapshot.truncated = true;
            return;
        }
        let keep = entry.size <= CONTENT_BYTES && entry.size <= self.content_left;
        let mut content = Vec::new();
        let mut hasher = blake3::Hasher::new();
        let mut buffer = [0_u8; 16 * 1024];
        let mut left = entry.size;
        while left > 0 {
            let room = usize::try_from(left)
                .unwrap_or(buffer.len())
                .min(buffer.len());
            match rustix::io::read(file, &mut buffer[..room]) {
                Ok(0) => break,
                Ok(count) => {
                    let part = &buffer[..count];
                    hasher.update(part);
                    if keep {
                        content.extend_from_slice(part);
                    }
                    left -= count as u64;
                }
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
        self.read_left -= entry.size - left;
        entry.digest = Some(Digest(*hasher.finalize().as_bytes()));
        if keep {
            self.content_left -= content.len() as u64;
            entry.content = Some(content.into());
        }
    }
}

fn stat(dir: BorrowedFd<'_>, name: &CStr) -> Result<Statx, Errno> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT | AtFlags::EMPTY_PATH;
    rustix::fs::statx(dir, name, flags, StatxFlags::BASIC_STATS)
}

fn inode(found: &Statx) -> Inode {
    let device = rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor);
    (device, found.stx_ino)
}

fn changed(found: &Statx) -> Changed {
    (found.stx_ctime.tv_sec, found.stx_ctime.tv_nsec)
}

fn file_type(found: &Statx) -> FileType {
    FileType::from_raw_mode(found.stx_mode.into())
}

fn kind(file_type: FileType) -> FileKind {
    match file_type {
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Symlink,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
        _ => FileKind::File,
    }
}

/// Is this the marker of an overlay for a deleted file?
fn is_whiteout(found: &Statx) -> bool {
    file_type(found) == FileType::CharacterDevice
        && (found.stx_rdev_major, found.stx_rdev_minor) == (0, 0)
}

fn is_opaque(dir: &OwnedFd) -> bool {
    ["trusted.overlay.opaque", "user.overlay.opaque"]
        .into_iter()
        .any(|name| {
            let mut value = [0_u8; 4];
            matches!(rustix::fs::fgetxattr(dir, name, &mut value[..]), Ok(1)) && value[0] == b'y'
        })
}

/// The subject's own extended attributes. Long values are cut off.
fn attributes(file: &OwnedFd) -> BTreeMap<Vec<u8>, Vec<u8>> {
    const INTERNAL: [&[u8]; 3] = [b"trusted.overlay.", b"user.overlay.", b"security.selinux"];
    let mut names = [0_u8; 4096];
    let Ok(length) = rustix::fs::flistxattr(file, &mut names[..]) else {
        return BTreeMap::new();
    };
    let mut found = BTreeMap::new();
    for name in names
        .get(..length)
        .unwrap_or_default()
        .split(|byte| *byte == 0)
    {
        if name.is_empty() || INTERNAL.iter().any(|internal| name.starts_with(internal)) {
            continue;
        }
        let mut value = vec![0_u8; 4096];
        match rustix::fs::fgetxattr(file, name, &mut value[..]) {
            Ok(length) => value.truncate(length),
            Err(Errno::RANGE) => value = b"more than 4096 bytes".to_vec(),
            Err(_) => continue,
        }
        found.insert(name.to_vec(), value);
    }
    found
}
