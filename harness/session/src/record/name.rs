//! Names of recordings.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// How many recordings of one name are allowed.
const MOST: u32 = 1_000_000;

/// The names to try in order for a recording. `{pid}` and `{n}` in the file's name are filled in.
/// Without `{n}`, the plain name comes first, and then it is numbered from 2 on: `git.jsonl`,
/// `git-2.jsonl`.
pub(super) fn candidates(pattern: &Path) -> impl Iterator<Item = PathBuf> + '_ {
    let pid = std::process::id().to_string();
    let name = pattern.file_name().unwrap_or_default();
    let name = replaced(name, "{pid}", &pid);
    let numbered = find(&name, b"{n}").is_some();
    (1..=MOST).map(move |number| {
        let text = number.to_string();
        let name = match number {
            _ if numbered => replaced(&name, "{n}", &text),
            1 => name.clone(),
            _ => {
                let path = Path::new(&name);
                let mut next = path.file_stem().unwrap_or_default().to_owned();
                next.push(format!("-{text}"));
                if let Some(extension) = path.extension() {
                    next.push(".");
                    next.push(extension);
                }
                next
            }
        };
        pattern.with_file_name(name)
    })
}

fn replaced(name: &OsStr, old: &str, new: &str) -> OsString {
    let mut rest = name.as_bytes();
    let mut out = Vec::new();
    while let Some(at) = find(OsStr::from_bytes(rest), old.as_bytes()) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(new.as_bytes());
        rest = &rest[at + old.len()..];
    }
    out.extend_from_slice(rest);
    OsString::from_vec(out)
}

fn find(name: &OsStr, part: &[u8]) -> Option<usize> {
    name.as_bytes()
        .windows(part.len())
        .position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::candidates;
    use std::path::Path;

    fn first(pattern: &str) -> Vec<String> {
        candidates(Path::new(pattern))
            .take(3)
            .map(|path| path.display().to_string())
            .collect()
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        assert_eq!(
            first("/a.b/git.jsonl"),
            ["/a.b/git.jsonl", "/a.b/git-2.jsonl", "/a.b/git-3.jsonl"]
        );
        assert_eq!(first("git"), ["git", "git-2", "git-3"]);
    }

    #[test]
    fn numbers_and_process_ids_are_filled_in() {
        assert_eq!(
            first("x/{n}/git-{n}.jsonl"),
            [
                "x/{n}/git-1.jsonl",
                "x/{n}/git-2.jsonl",
                "x/{n}/git-3.jsonl"
            ]
        );
        let pid = std::process::id();
        assert_eq!(
            first("git-{pid}.jsonl")[..2],
            [format!("git-{pid}.jsonl"), format!("git-{pid}-2.jsonl")]
        );
    }
}
