//! Recognizes files that were meant to be temporary.

use crate::session::Session;
use crate::words::contains;
use std::collections::BTreeMap;
use stickler_reading::within;
use stickler_transcript::{Change, ChangeKind, Event};

/// Suffixes that programs give to files while they write them.
const ENDINGS: [&[u8]; 10] = [
    b".tmp",
    b".temp",
    b".swp",
    b".swx",
    b".part",
    b".partial",
    b".new",
    b"~tmp",
    b".tmp~",
    b"-tmp",
];

/// Does the last name in a path look temporary? A name in `promised` that is followed by random
/// letters looks temporary too.
pub fn looks_temporary(path: &[u8], promised: &[&[u8]]) -> bool {
    let name = name(path);
    let bare = name.strip_prefix(b".").unwrap_or(name);
    if ENDINGS.iter().any(|ending| name.ends_with(ending)) || name.starts_with(b".#") {
        return true;
    }
    // The style of `mktemp`: "tmp.A1b2C3d4E5", "tmpab12cd34".
    if let Some(rest) = bare.strip_prefix(b"tmp") {
        return rest.len() >= 6 && !rest.contains(&b' ');
    }
    if contains(name, b".tmp.") || contains(name, b".temp.") {
        return true;
    }
    promised.iter().any(|known| {
        bare.strip_prefix(*known)
            .and_then(|rest| {
                rest.strip_prefix(b".")
                    .or_else(|| rest.strip_prefix(b"-"))
                    .or_else(|| rest.strip_prefix(b"_"))
            })
            .is_some_and(|rest| is_random(rest) && is_mixed(rest))
    })
}

/// Does a path, or a directory above it, look temporary?
pub fn lies_in_temporary(path: &[u8], promised: &[&[u8]]) -> bool {
    // `.anything.x6MSzM`, in the style of `mktemp`; the name may be one of the module's own.
    let has_random_end = |path: &[u8]| {
        let bare = name(path).strip_prefix(b".").unwrap_or_default();
        let dot = bare.iter().rposition(|byte| *byte == b'.');
        dot.is_some_and(|dot| is_random(&bare[dot + 1..]))
    };
    from_the_top(path).any(|path| {
        looks_temporary(path, promised) || has_random_end(path) || names_process(name(path))
    })
}

/// Does a name end in a process number and random letters, as in `stage.4711.x6MSzM`?
fn names_process(name: &[u8]) -> bool {
    let mut words = name.rsplitn(3, |byte| b".-_".contains(byte));
    let (random, number, rest) = (words.next(), words.next(), words.next());
    rest.is_some_and(|rest| !rest.is_empty())
        && number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
        && random.is_some_and(|random| is_random(random) && !random.iter().all(u8::is_ascii_digit))
}

/// Is the path in a directory whose name begins with a dot? There, tools such as git keep their own
/// files.
pub(crate) fn is_in_hidden(path: &[u8]) -> bool {
    contains(folder(path), b"/.")
}

/// Does the text look random: a mix of letters and digits?
fn is_random(text: &[u8]) -> bool {
    let any = |class: fn(&u8) -> bool| text.iter().any(class);
    let classes = [
        u8::is_ascii_digit,
        u8::is_ascii_uppercase,
        u8::is_ascii_lowercase,
    ];
    text.len() >= 6
        && text.iter().all(u8::is_ascii_alphanumeric)
        && (classes.into_iter().filter(|class| any(*class)).count() > 1
            || text.iter().all(u8::is_ascii_digit))
}

/// Do letters and digits alternate as in random texts? `sha256`, `md5sum` and `Backup` are words, `20260131` is a date.
fn is_mixed(text: &[u8]) -> bool {
    let class = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let changes = text
        .windows(2)
        .filter(|two| class(&two[0]) != class(&two[1]));
    let is_date = text.len() == 8 && (text.starts_with(b"19") || text.starts_with(b"20"));
    changes.count() > 2 || text.iter().all(u8::is_ascii_digit) && !is_date
}

/// The directories above a path, the topmost first, and the path.
pub(crate) fn from_the_top(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = memchr::memchr_iter(b'/', path);
    slashes.map(|end| &path[..end]).chain([path])
}

/// The last component of a path.
pub(crate) fn name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// The part of a path before its last component, with the slash.
pub(crate) fn folder(path: &[u8]) -> &[u8] {
    &path[..path.len() - name(path).len()]
}

/// The database to which a journal of SQLite belongs.
pub(crate) fn journal_of(path: &[u8]) -> Option<&[u8]> {
    let endings: [&[u8]; 3] = [b"-journal", b"-wal", b"-shm"];
    endings.iter().find_map(|ending| path.strip_suffix(*ending))
}

/// Places for files.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// A scratch directory or `HOME`, where people and promises keep files.
    Work,
    /// A directory for temporary files.
    Temporary,
}

/// Is a path below a directory of this kind? The innermost directory counts: scratch directories are in `/tmp`, and
/// `HOME` may be `/`.
pub(crate) fn in_dirs(session: &Session, path: &[u8], place: Place) -> bool {
    let innermost = |dirs: &mut dyn Iterator<Item = &[u8]>| {
        let above = dirs.filter(|dir| within(path, dir) && path != *dir);
        above.map(<[u8]>::len).max()
    };
    let home = session.environment("HOME").unwrap_or(b"/tmp/stickler/home");
    let dirs = session.case().dirs.iter().map(|dir| &dir[..]);
    let work = innermost(&mut dirs.chain([home]));
    let own = session.environment("TMPDIR").unwrap_or(b"/tmp");
    let temporary = innermost(&mut [own, b"/tmp", b"/var/tmp", b"/dev/shm"].into_iter());
    match place {
        Place::Work => work.is_some() && work >= temporary,
        Place::Temporary => temporary.is_some() && work < temporary,
    }
}

/// Is a path that no promise names in a place for the module's own files, such as locks and logs:
/// in `HOME` or a directory for temporary files?
pub fn is_modules_own(session: &Session, path: &[u8]) -> bool {
    let scratch = session.case().dirs.iter().any(|dir| within(path, dir));
    let own = [Place::Work, Place::Temporary];
    !scratch
        && own.into_iter().any(|place| in_dirs(session, path, place))
        && !is_promised(path, &promised_texts(session))
}

/// Is this a temporary file of the module, such as a lock: created in this session in a directory
/// for such files, and named by no promise? In a directory of the module's own, it may have any name. PM805 judges
/// whether it is gone at the end.
pub(crate) fn is_own_temporary(session: &Session, change: &Change) -> bool {
    let path = &change.path[..];
    if !in_dirs(session, path, Place::Temporary) {
        return false;
    }
    let is_new = |path: &[u8]| {
        let mut changes = session.observations.iter().flat_map(|one| &one.changes);
        changes.any(|other| other.kind == ChangeKind::Created && other.path[..] == *path)
    };
    let texts = promised_texts(session);
    let is_own = |path: &[u8]| {
        is_new(path) && in_dirs(session, path, Place::Temporary) && !is_promised(path, &texts)
    };
    is_new(path) && from_the_top(path).any(is_own)
}

/// Paths that are new at the end of the session, with the exchange that created them. What the harness made from
/// outside, with the directories above it, is not the module's.
pub(crate) fn made(session: &Session) -> BTreeMap<&[u8], Option<usize>> {
    let mut made = BTreeMap::new();
    let events = session.transcript.events.iter();
    let drifts = events.filter_map(|event| match event {
        Event::Drifted { drift, .. } => drift.path(),
        _ => None,
    });
    let drifts: Vec<_> = drifts.collect();
    let is_the_harnesss = |path: &[u8]| drifts.iter().any(|made| within(made, path));
    for observation in &session.observations {
        for change in &observation.changes {
            let path = &change.path[..];
            match change.kind {
                ChangeKind::Created if is_the_harnesss(path) => {}
                ChangeKind::Created => {
                    made.insert(path, observation.exchanges.last().copied());
                }
                ChangeKind::Deleted => {
                    made.remove(path);
                }
                _ => {}
            }
        }
    }
    made
}

/// All texts in the promises that a session sent: promisers and values.
pub(crate) fn promised_texts(session: &Session) -> Vec<&[u8]> {
    let mut texts = Vec::new();
    for request in session
        .exchanges
        .iter()
        .filter_map(|exchange| exchange.request.as_ref())
    {
        texts.extend(request.promiser.as_deref());
        for (_, value) in request.attributes.iter().flatten() {
            texts.extend(value.texts());
        }
    }
    texts
}

/// Does a promise name this path, a path above it, or its last component?
pub(crate) fn is_promised(path: &[u8], texts: &[&[u8]]) -> bool {
    texts.iter().any(|text| {
        let above = text.starts_with(b"/") && text.len() > 1 && within(path, text);
        above || contains(text, name(path))
    })
}
