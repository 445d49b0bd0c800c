//! Which effects count.

use crate::words::contains;
use stickler_transcript::{Case, Change, ChangeKind, Event, Transcript};

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

/// The word in it that says that a call has failed, where a single one is to fail.
pub const FAILED: &str = "!";

/// Has a command failed in an exchange, where a single one was to fail?
pub fn command_failed(transcript: &Transcript, exchange: usize) -> bool {
    let is_request =
        |event: &&Event| matches!(event, Event::Request(input) if input.exchange == exchange);
    let mut events = transcript.events.iter();
    let counter = events.find(is_request).and_then(|_| {
        let changes = events.find_map(|event| match event {
            Event::Effects { changes, .. } => Some(changes),
            _ => None,
        });
        changes?.iter().find(|change| is_harness(change))
    });
    let content = counter.and_then(|counter| counter.after.as_ref()?.content.as_ref());
    content.is_some_and(|content| content.lossy().split_whitespace().any(|one| one == FAILED))
}

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
