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

/// What the next observation after a request shows, also what never counts.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'t> {
    changes: &'t [Change],
    truncated: bool,
}

impl<'t> Observed<'t> {
    /// The next observation after the request of an exchange. `None` if there is none.
    pub fn after(transcript: &'t Transcript, exchange: usize) -> Option<Self> {
        let is_request =
            |event: &Event| matches!(event, Event::Request(input) if input.exchange == exchange);
        let events = transcript.events.iter();
        let mut events = events.skip_while(|event| !is_request(event));
        events.find_map(|event| match event {
            Event::Effects {
                changes, truncated, ..
            } => Some(Self {
                changes,
                truncated: *truncated,
            }),
            _ => None,
        })
    }

    /// All changes. `None` if some were left out: then nothing can be said of those that are missing.
    pub fn all(self) -> Option<&'t [Change]> {
        (!self.truncated).then_some(self.changes)
    }

    /// The changes that were read: there may be others.
    pub fn some(self) -> &'t [Change] {
        self.changes
    }
}

/// Has a command certainly failed in an exchange, where a single one was to fail? That others of many effects were left
/// out does not matter.
pub fn command_failed(transcript: &Transcript, exchange: usize) -> bool {
    let Some(observed) = Observed::after(transcript, exchange) else {
        return false;
    };
    let counter = observed.some().iter().find(|change| is_harness(change));
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

#[cfg(test)]
mod tests {
    use super::{CALLS, FAILED, Observed, command_failed};
    use stickler_transcript::{
        Case, Change, ChangeKind, Entry, Event, FileType, Input, Key, Phase, Provenance, Transcript,
    };

    fn observed(path: &str, content: &str, truncated: bool) -> Transcript {
        let request = Event::Request(Input {
            t: 0,
            process: 0,
            exchange: 1,
            phase: Phase::OTHER,
            key: Key::parse("e"),
            item: None,
            provenance: Provenance::Agent,
            owed: true,
        });
        let after = Entry {
            kind: FileType::File,
            mode: 0o644,
            uid: 0,
            gid: 0,
            size: content.len() as u64,
            digest: None,
            content: Some(content.into()),
        };
        let change = Change {
            path: path.into(),
            kind: ChangeKind::Changed,
            before: None,
            after: Some(after),
        };
        let effects = Event::Effects {
            t: 1,
            point: "e".to_owned(),
            changes: vec![change],
            truncated,
        };
        Transcript {
            case: Case::default(),
            events: vec![request, effects],
        }
    }

    #[test]
    fn a_failure_that_was_seen_counts_even_if_other_effects_were_left_out() {
        for truncated in [false, true] {
            let failed = observed(CALLS, &format!("1 git {FAILED}"), truncated);
            assert!(command_failed(&failed, 1));
            assert!(!command_failed(&failed, 2));
            assert!(!command_failed(&observed(CALLS, "1 git", truncated), 1));
            assert!(!command_failed(&observed("/x", FAILED, truncated), 1));
        }
    }

    #[test]
    fn nothing_is_said_of_all_changes_if_some_were_left_out() {
        let all = |truncated| {
            let transcript = observed("/x", "x", truncated);
            let observed = Observed::after(&transcript, 1).expect("an observation");
            observed.all().map(<[_]>::len)
        };
        assert_eq!((all(false), all(true)), (Some(1), None));
    }
}
