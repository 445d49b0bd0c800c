//! Which effects count.

use crate::words::contains;
use stickler_transcript::{Case, Change, ChangeKind};

/// Is `path` `root` or below it?
pub fn within(path: &[u8], root: &[u8]) -> bool {
    let root = root.strip_suffix(b"/").unwrap_or(root);
    path.strip_prefix(root)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// The directory to which a relative name was appended: the part of `path` before the first
/// occurrence of the name as whole components, possibly with an extension (`name.conf`). `None` if
/// it does not occur, or if it is not a plain relative name.
pub fn above<'p>(path: &'p [u8], name: &[u8]) -> Option<&'p [u8]> {
    let dots = |part: &[u8]| part.is_empty() || part == b"." || part == b"..";
    if name.split(|byte| *byte == b'/').any(dots) {
        return None;
    }
    let ends = |rest: &[u8]| matches!(rest, [] | [b'/' | b'.', ..]);
    let mut slashes = (1..path.len()).filter(|at| path[*at] == b'/');
    let at = slashes.find(|at| path[at + 1..].strip_prefix(name).is_some_and(ends))?;
    Some(&path[..at])
}

/// The file in which failing stand-ins for commands count their calls.
pub const CALLS: &str = "/dev/shm/stickler-calls";

/// Did the harness write this, not the subject?
pub fn is_harness(change: &Change) -> bool {
    change.path[..] == *CALLS.as_bytes()
}

/// Caches of interpreters and libraries, which never count.
const CACHES: [&[u8]; 8] = [
    b"/__pycache__",
    b"/.cache/",
    b"/.cache",
    b".pyc",
    b"/.rnd",
    b"/.bash_history",
    b"/ld.so.cache",
    b"/.python_history",
];

/// Does this effect never count: byte code and caches, the subject's own log, paths that the author
/// ignores?
pub fn never_counts(change: &Change, case: &Case) -> bool {
    let path = &change.path[..];
    if is_harness(change) {
        return true;
    }
    let in_scratch = case.dirs.iter().any(|dir| within(path, dir));
    if CACHES.iter().any(|cache| contains(path, cache)) {
        return true;
    }
    let text = String::from_utf8_lossy(path);
    if !in_scratch
        && (within(path, b"/var/log")
            || std::path::Path::new(&*text)
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("log")))
    {
        return true;
    }
    // Extended attributes of directories belong to the overlay.
    if change.kind == ChangeKind::Xattr && !in_scratch {
        return true;
    }
    case.subject
        .ignore
        .iter()
        .any(|pattern| glob::Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(&text)))
}
