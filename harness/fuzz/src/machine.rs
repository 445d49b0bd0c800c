//! Programs and libraries of the machine: once a session has changed them, what comes later says little about the
//! subject. An item about the loader leaves a machine on which nothing starts.

use stickler_judge::AnySession;
use stickler_transcript::{Bytes, Change, ChangeKind};

/// Did the session change programs before this exchange, or at all?
pub(crate) fn lost_programs(session: &AnySession, before: Option<usize>) -> bool {
    let plan = session.case().plan.as_ref();
    let commands = plan.iter().flat_map(|plan| &plan.commands);
    let own: Vec<&Bytes> = commands.flat_map(|command| &command.argv).collect();
    let mut exchanges = session.reading().exchanges();
    exchanges.any(|exchange| {
        let is_before = before.is_none_or(|number| exchange.number < number);
        let mut changes = exchange.effects.iter().flatten();
        is_before && changes.any(|change| loses(change, &own))
    })
}

/// Does a change take a program away: one of the machine's, or one of these?
fn loses(change: &Change, own: &[&Bytes]) -> bool {
    let path: Vec<&[u8]> = change.path.split(|byte| *byte == b'/').skip(1).collect();
    match change.kind {
        ChangeKind::Rewritten => false,
        // What is new takes nothing away, unless all programs load it.
        ChangeKind::Created => path == [&b"etc"[..], b"ld.so.preload"],
        _ => is_of_programs(&path) || own.contains(&&change.path),
    }
}

/// Is this a path in, or above, the folders of programs and libraries?
fn is_of_programs(path: &[&[u8]]) -> bool {
    let is_folder = |name: &[u8]| {
        matches!(name, b"bin" | b"sbin" | b"libexec" | b"local") || name.starts_with(b"lib")
    };
    match path {
        [b"usr"] => true,
        [b"usr", b"local", rest @ ..] => rest.first().is_none_or(|name| is_folder(name)),
        [b"usr", name, ..] | [name, ..] if is_folder(name) => true,
        [b"etc", name, ..] => name.starts_with(b"ld.so."),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, kind: ChangeKind) -> Change {
        Change {
            path: path.into(),
            kind,
            before: None,
            after: None,
        }
    }

    #[test]
    fn programs_libraries_and_the_subject_itself_are_lost() {
        let own = Bytes::from("/home/me/module.py");
        let loses = |path: &str, kind| loses(&change(path, kind), &[&own]);
        for path in [
            "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
            "/lib64",
            "/usr",
            "/usr/bin/mv",
            "/usr/local/bin/python3",
            "/etc/ld.so.cache",
            "/home/me/module.py",
        ] {
            assert!(loses(path, ChangeKind::Changed), "{path}");
            assert!(loses(path, ChangeKind::Mode), "{path}");
            assert!(!loses(path, ChangeKind::Rewritten), "{path}");
            assert!(!loses(path, ChangeKind::Created), "{path}");
        }
        for path in [
            "/etc/passwd",
            "/tmp/stickler/dir/lib/x",
            "/usr/share/doc",
            "/usr/local/etc/x",
            "/home/me/module.conf",
            "/var/lib/x",
        ] {
            assert!(!loses(path, ChangeKind::Changed), "{path}");
        }
        assert!(loses("/etc/ld.so.preload", ChangeKind::Created));
    }
}
