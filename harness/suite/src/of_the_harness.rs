//! Values that name what belongs to the harness: a subject that uses them meets the harness, and what comes of that
//! says nothing about the subject.

use crate::instance::SCRATCH;
use stickler_session::path::plain;

/// The devices through which a subject talks to the harness.
const CHANNELS: &[&[u8]] = &[
    b"stdin", b"stdout", b"stderr", b"fd", b"tty", b"console", b"ptmx", b"pts",
];
/// The folders in the scratch space that the harness keeps for itself.
const FOLDERS: &[&[u8]] = &[b"shim", b"bin", b"fakes", b"behind"];
/// How the folders begin that it shares with subjects.
const SHARED: &[u8] = b"stickler-";

/// Does a value name a descriptor of the conversation, or a file that the harness keeps for itself? The path may stand
/// in the middle of a text.
pub fn is_of_the_harness(value: &[u8]) -> bool {
    // Most values have no path.
    if !value.contains(&b'/') {
        return false;
    }
    let mut words = value.split(|byte| b" \t\n,;:=|<>\"'()[]{}".contains(byte));
    words.any(|word| {
        let from = word.iter().position(|byte| *byte == b'/');
        from.is_some_and(|from| {
            let path = plain(&word[from..]);
            is_own_path(&parts(&path))
        })
    })
}

/// The names in a path.
fn parts(path: &[u8]) -> Vec<&[u8]> {
    let parts = path.split(|byte| *byte == b'/');
    parts.filter(|part| !part.is_empty()).collect()
}

fn is_own_path(path: &[&[u8]]) -> bool {
    let scratch = parts(SCRATCH.as_bytes());
    match path {
        [b"dev", b"shm", name, ..] => name.starts_with(SHARED),
        [b"dev", name, ..] => CHANNELS.contains(name),
        // A process's own view of the root is the root.
        [b"proc", _, b"root", rest @ ..] => is_own_path(rest),
        [b"proc", _, rest @ ..] => {
            rest.contains(&&b"fd"[..])
                || rest.contains(&&b"fdinfo"[..])
                || rest.contains(&&b"map_files"[..])
        }
        path => path
            .strip_prefix(&scratch[..])
            .and_then(<[&[u8]]>::first)
            .is_some_and(|folder| FOLDERS.contains(folder)),
    }
}

#[cfg(test)]
mod tests {
    use super::is_of_the_harness;

    #[test]
    fn paths_to_the_harness_are_known_however_they_are_written() {
        for own in [
            "/dev/stdin",
            "//dev/./fd/0",
            "/tmp/stickler/dir/../../../dev/stdout",
            "/dev/fd/3",
            "/proc/self/fd/1",
            "/proc/thread-self/fd/1",
            "/proc/17/task/18/fd/0",
            "/proc/self/root/dev/stdin",
            "file:///dev/stderr",
            "a list,/dev/stdin",
            "/tmp/stickler/bin/git",
            "/tmp/stickler/shim/sitecustomize.py",
            "/dev/shm/stickler-coverage-x/0",
        ] {
            assert!(is_of_the_harness(own.as_bytes()), "{own}");
        }
        for other in [
            "",
            "-",
            "dev/stdin",
            "/tmp/stickler/dir/stdin",
            "/tmp/stickler/dir/dev/stdin",
            "/dev/null",
            "/dev/stdinx",
            "/proc/self/environ",
            "/proc/cpuinfo",
            "/etc/fd",
            "/..",
        ] {
            assert!(!is_of_the_harness(other.as_bytes()), "{other}");
        }
    }
}
