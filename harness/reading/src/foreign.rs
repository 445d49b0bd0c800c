//! What somebody else wrote in a file that an item edits.
//!
//! Nobody says which lines an item manages. Its usual evaluation shows it: those that it takes away or adds are its
//! own, and the rest is somebody else's.

use crate::words::{cut, visible};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::BTreeSet;

/// Versions of a file, in words, that are as right as the usual one, whatever its format.
pub const ONE_MORE_COMMENT: &str = "where its file has one more comment and an empty line";
/// A comment right above the item's own entry.
pub const COMMENT_ABOVE: &str = "where its file has a comment right above its own entry";
/// A comment that is no UTF-8.
pub const IN_LATIN_1: &str = "where a comment in its file is in Latin-1";
/// A last line without its end.
pub const WITHOUT_END: &str = "where the last line of its file has no end";

/// What the item manages, twice.
pub const OWN_ENTRY_TWICE: &str = "where its file has its own entry twice";

/// Is a version of a file, in words, as right as the usual one?
pub fn is_as_right(version: &str) -> bool {
    [ONE_MORE_COMMENT, COMMENT_ABOVE, IN_LATIN_1, WITHOUT_END].contains(&version)
}

/// The folders in which tools keep what nobody else writes.
const STORES: [&str; 5] = [".bzr", ".git", ".gnupg", ".hg", ".svn"];

/// Does a path lie in the store of a tool that a subject may call? What is there, and how, is that tool's business.
pub fn is_in_a_store(path: &[u8]) -> bool {
    let mut names = path.split(|byte| *byte == b'/');
    names.any(|name| STORES.iter().any(|store| store.as_bytes() == name))
}

/// The lines of a file, each with its end.
pub fn lines(content: &[u8]) -> Vec<&[u8]> {
    content.split_inclusive(|byte| *byte == b'\n').collect()
}

/// A line without its end.
pub fn unended(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The lines that an item manages, without their ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Managed<'f> {
    own: BTreeSet<&'f [u8]>,
}

impl<'f> Managed<'f> {
    /// What usual evaluations, each a file before and after it, take away and add.
    pub fn of(evaluations: impl IntoIterator<Item = (&'f [u8], &'f [u8])>) -> Managed<'f> {
        let mut own = BTreeSet::new();
        for (before, after) in evaluations {
            let old: Vec<&[u8]> = lines(before).into_iter().map(unended).collect();
            let new: Vec<&[u8]> = lines(after).into_iter().map(unended).collect();
            for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
                if !matches!(op, DiffOp::Equal { .. }) {
                    own.extend(&old[op.old_range()]);
                    own.extend(&new[op.new_range()]);
                }
            }
        }
        Managed { own }
    }

    /// They, without their ends.
    pub fn own(&self) -> impl Iterator<Item = &'f [u8]> + '_ {
        self.own.iter().copied()
    }

    /// Is a line, without its end, one of them?
    pub fn holds(&self, line: &[u8]) -> bool {
        self.own.contains(line)
    }

    /// The lines of a file that somebody else wrote, with their ends.
    pub fn foreign<'c>(&self, content: &'c [u8]) -> Vec<&'c [u8]> {
        let mut all = lines(content);
        all.retain(|line| !self.holds(unended(line)));
        all
    }
}

/// What became of lines that somebody else wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Harm {
    /// One is missing.
    Lost(String),
    /// One is no line of its own any more.
    Joined(String),
    /// One ends in another way.
    Ended(String),
    /// Its own line ends in another way than the one before and all others.
    Mixed(String),
    /// One holds other bytes for the same letters.
    Encoded(String),
    /// They are in another order.
    Moved(String),
    /// The last line had no end, and has one.
    Closed(String),
}

/// What an evaluation did to the lines of a file that somebody else wrote, the gravest first; nothing if all stay as
/// they were.
pub fn harm(managed: &Managed<'_>, before: &[u8], after: &[u8]) -> Option<Harm> {
    let foreign = managed.foreign(before);
    let mut rest = lines(after);
    let mut closed = None;
    let mut missing = Vec::new();
    for (at, line) in foreign.iter().enumerate() {
        if let Some(found) = rest.iter().position(|one| one == line) {
            rest.remove(found);
            continue;
        }
        // Whoever writes behind the last line has to end it.
        let is_last = at + 1 == foreign.len() && !line.ends_with(b"\n");
        let ended = [line, &b"\n"[..]].concat();
        if is_last && let Some(found) = rest.iter().rposition(|one| *one == ended) {
            if after.ends_with(&ended) && found + 1 == rest.len() {
                closed = Some(Harm::Closed(shown(line)));
            }
            rest.remove(found);
            continue;
        }
        missing.push(*line);
    }
    let blank = |line: &&&[u8]| unended(line).iter().all(u8::is_ascii_whitespace);
    let first = missing.iter().find(|line| !blank(line));
    if let Some(line) = first.or(missing.first()) {
        let text = unended(line);
        let letters = String::from_utf8_lossy(text);
        let is_same = |one: &&[u8]| unended(one) == text;
        let is_joined =
            |one: &&[u8]| text.len() > 1 && one.len() > line.len() && one.starts_with(text);
        let is_encoded = |one: &&[u8]| {
            !text.is_ascii() && is_like(&String::from_utf8_lossy(unended(one)), &letters)
        };
        return Some(match () {
            () if rest.iter().any(is_same) => Harm::Ended(shown(line)),
            () if rest.iter().any(is_encoded) => Harm::Encoded(shown(line)),
            () if !line.ends_with(b"\n") && rest.iter().any(is_joined) => Harm::Joined(shown(line)),
            () => Harm::Lost(shown(line)),
        });
    }
    // What takes the place of a line with CR LF ends in that, too.
    let is_crlf = |line: &&[u8]| line.ends_with(b"\r\n");
    let mut own = lines(before).into_iter();
    if own.any(|line| is_crlf(&line) && managed.holds(unended(line)))
        && lines(before).iter().all(is_crlf)
        && let Some(line) = rest
            .iter()
            .find(|line| !is_crlf(line) && line.ends_with(b"\n"))
    {
        return Some(Harm::Mixed(shown(line)));
    }
    // All are there. Are they in their order?
    let mut left = lines(after).into_iter().map(unended);
    let moved = foreign
        .iter()
        .find(|line| !left.any(|one| one == unended(line)));
    moved.map(|line| Harm::Moved(shown(line))).or(closed)
}

/// Have two texts the same ASCII letters in the same order, and others between them?
fn is_like(one: &str, other: &str) -> bool {
    let ascii = |text: &str| text.chars().filter(char::is_ascii).collect::<String>();
    one != other && ascii(one) == ascii(other)
}

fn shown(line: &[u8]) -> String {
    match unended(line) {
        b"" => "an empty line".to_owned(),
        text => format!("`{}`", cut(&visible(text), 60)),
    }
}

impl Harm {
    /// What happened, as a sentence about a file.
    pub fn in_words(&self, file: &str) -> String {
        match self {
            Harm::Lost(line) => format!("`{file}` loses a line that somebody else wrote: {line}"),
            Harm::Joined(line) => {
                format!("in `{file}`, the last line {line} has no end, and new text joins it")
            }
            Harm::Ended(line) => {
                format!("in `{file}`, the end of somebody else's line {line} changes")
            }
            Harm::Mixed(line) => format!(
                "in `{file}`, whose lines end with CR and LF, a changed line ends with LF alone: {line}"
            ),
            Harm::Encoded(line) => {
                format!("in `{file}`, somebody else's line {line} is encoded anew")
            }
            Harm::Moved(line) => {
                format!("in `{file}`, somebody else's lines change their order: {line}")
            }
            Harm::Closed(line) => {
                format!("in `{file}`, the last line {line} had no end, and has one")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_store_is_a_folder_of_a_known_name() {
        for path in ["/x/.git/logs/HEAD", "/x/.gnupg/pubring.kbx", ".svn/a"] {
            assert!(super::is_in_a_store(path.as_bytes()), "{path}");
        }
        for path in ["/x/.ssh/authorized_keys", "/x/.gitignore", "/x/git/a", "/x"] {
            assert!(!super::is_in_a_store(path.as_bytes()), "{path}");
        }
    }

    use super::*;
    use proptest::prelude::*;

    const OLD: &[u8] = b"# hosts\nlocal = 1\nold = 2\n";
    const NEW: &[u8] = b"# hosts\nlocal = 1\nnew = 3\n";

    fn of(before: &[u8], after: &[u8]) -> Option<Harm> {
        harm(&Managed::of([(OLD, NEW)]), before, after)
    }

    #[test]
    fn lines_that_the_usual_evaluation_changes_are_the_items_own() {
        let managed = Managed::of([(OLD, NEW)]);
        assert_eq!(managed.foreign(OLD), [&b"# hosts\n"[..], b"local = 1\n"]);
        assert_eq!(of(OLD, NEW), None);
    }

    #[test]
    fn each_harm_is_told_as_what_it_is() {
        let before = b"# hosts\n# kept\nlocal = 1\nold = 2\n";
        assert_eq!(of(before, NEW), Some(Harm::Lost("`# kept`".into())));
        assert_eq!(
            of(before, b"# kept\n# hosts\nlocal = 1\nnew = 3\n"),
            Some(Harm::Moved("`# kept`".into()))
        );
        let crlf = b"# hosts\r\nlocal = 1\r\nold = 2\r\n";
        assert_eq!(of(crlf, b"# hosts\r\nlocal = 1\r\nnew = 3\r\n"), None);
        assert_eq!(
            of(crlf, b"# hosts\r\nlocal = 1\r\nnew = 3\n"),
            Some(Harm::Mixed("`new = 3`".into()))
        );
        // A line that takes no other's place may end as its author likes.
        let before = b"# hosts\r\nlocal = 1\r\n";
        assert_eq!(of(before, b"# hosts\r\nlocal = 1\r\nnew = 3\n"), None);
        assert_eq!(of(crlf, NEW), Some(Harm::Ended("`# hosts`".into())));
        let open = b"# hosts\nlocal = 1";
        assert_eq!(of(open, NEW), None, "somebody has to end the line");
        assert_eq!(
            of(open, b"# hosts\nlocal = 1new = 3\n"),
            Some(Harm::Joined("`local = 1`".into()))
        );
        assert_eq!(
            of(open, b"new = 3\n# hosts\nlocal = 1\n"),
            Some(Harm::Closed("`local = 1`".into()))
        );
        let latin = b"# caf\xe9\nlocal = 1\nold = 2\n";
        let anew = "# café\nlocal = 1\nnew = 3\n".as_bytes();
        assert!(matches!(of(latin, anew), Some(Harm::Encoded(_))));
        assert_eq!(
            of(b"# hosts\n\nlocal = 1\n", NEW),
            Some(Harm::Lost("an empty line".into()))
        );
    }

    proptest! {
        #[test]
        fn who_only_adds_and_takes_its_own_lines_does_no_harm(
            foreign in prop::collection::vec("[a-c]{0,2}", 1..6),
            at in 0_usize..6,
            ends in prop::sample::select(vec!["\n", "\r\n"]),
        ) {
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}{ends}")).collect::<String>();
            let managed = Managed::of([(&b"own old\n"[..], &b"own new\n"[..])]);
            let (mut before, mut after) = (foreign.clone(), foreign.clone());
            let at = at.min(foreign.len());
            before.insert(at, "own old".into());
            after.insert(at, "own new".into());
            prop_assert_eq!(harm(&managed, text(&before).as_bytes(), text(&after).as_bytes()), None);
        }

        #[test]
        fn no_content_makes_it_panic(before in prop::collection::vec(any::<u8>(), 0..80), after in prop::collection::vec(any::<u8>(), 0..80)) {
            let managed = Managed::of([(&before[..], &after[..])]);
            // What an evaluation itself changes is no harm to others.
            let harm = harm(&managed, &before, &after);
            prop_assert!(!matches!(harm, Some(Harm::Lost(_))), "{:?}", harm);
        }
    }
}
