//! Somebody else has written in the file that an item edits. The subject must leave that as it is.
//!
//! Only an item that edits a file shows what is not its own: what its usual evaluation leaves is somebody else's. A file
//! that it makes is tried with others' lines in it: whoever keeps a part of them does not manage the whole file.

use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::disturbed::is_document;
use crate::plans::subjects::disturbable;
use crate::setting::Setting;
use stickler_reading::foreign::{
    COMMENT_ABOVE, IN_LATIN_1, Managed, ONE_MORE_COMMENT, OWN_ENTRY_TWICE, WITHOUT_END,
    is_in_a_store, lines, unended,
};
use stickler_transcript::{Bytes, Case, Drift, Relation, Role, Variation};

/// How many files of an item are varied.
const MOST_FILES: usize = 3;

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for instance in disturbable(setting, effort) {
        let label = &instance.info.label;
        let known = setting.knowledge;
        let edited = known.edited_by(label);
        let edited: Vec<_> = edited.filter(|(path, ..)| !is_in_a_store(path)).collect();
        let mut made = known.made_by(label);
        if made.is_empty() {
            made = known.all_made_by(label);
        }
        let made = made.into_iter().filter_map(|path| {
            if is_in_a_store(path) {
                return None;
            }
            let is_new = !edited.iter().any(|(known, ..)| *known == path);
            Some((path, known.content(label, path).filter(|_| is_new)?))
        });
        let edited = edited
            .iter()
            .filter(|(_, before, _)| is_lines(before))
            .map(|(path, before, after)| (*path, versions(before, after)));
        let made = made
            .filter(|(_, content)| is_lines(content))
            .map(|(path, content)| (path, filled(content)));
        for (number, (path, versions)) in edited.chain(made).take(MOST_FILES).enumerate() {
            for version in versions {
                cases.push(beside(setting, &instance, (number, path), version));
            }
        }
    }
    cases
}

/// What nothing shows to be allowed in such a file.
const A_COMMENT: &str = "where its file has a comment and an empty line";

/// A file with more that somebody else wrote.
struct Version {
    id: &'static str,
    words: &'static str,
    content: Vec<u8>,
}

/// Evaluates an item where one of its files is another version.
fn beside(
    setting: &Setting<'_>,
    instance: &Instance,
    (number, path): (usize, &[u8]),
    version: Version,
) -> Case {
    let id = match number {
        0 => version.id.to_owned(),
        more => format!("{}-{}", version.id, more + 1),
    };
    let suffix = format!(":{id}");
    let changed = instance.altered(Variation::Drifted, &suffix, version.words.to_owned());
    let label = &instance.info.label;
    let mut case = setting.case(format!("foreign-{id}/{label}"));
    case.member(Relation::FOREIGN, label, Role::variant(version.words))
        .setup(instance)
        .drift(Drift::Write {
            path: path.into(),
            content: version.content.into(),
        })
        .observing()
        .open()
        .validate(&changed)
        .evaluate(&changed)
        .terminate();
    case.build()
}

/// Is it a text of lines, not a document with brackets? A section of an INI file has them in one line.
fn is_lines(content: &[u8]) -> bool {
    let mut all = lines(content).into_iter().map(<[u8]>::trim_ascii);
    let Some(first) = all.find(|line| !line.is_empty()) else {
        return false;
    };
    let is_section = || {
        let name = first
            .strip_prefix(b"[")
            .and_then(|rest| rest.strip_suffix(b"]"));
        name.is_some_and(|name| {
            !name.is_empty() && !name.iter().any(|byte| b"{},\"'".contains(byte))
        })
    };
    !content.contains(&0)
        && match first[0] {
            b'{' | b'<' => false,
            b'[' => is_section() && !is_document(content),
            _ => true,
        }
}

/// What somebody else may have written in a file that an item edits.
fn versions(before: &Bytes, after: &Bytes) -> Vec<Version> {
    let managed = Managed::of([(&before[..], &after[..])]);
    let all = lines(before);
    let is_own = |line: &&[u8]| managed.holds(unended(line));
    // New lines stand before the first one that stays: what is around others may be a part of them. Before some lines,
    // nothing may stand.
    let stays = |(_, line): &(usize, &&[u8])| !is_own(line) && !begins_a_file(line);
    let at = all.iter().enumerate().find(stays).map(|(at, _)| at);
    let Some(at) = at else {
        return Vec::new();
    };
    let with_at = |at: usize, all: &[&[u8]], more: &[&[u8]]| {
        let (start, end) = all.split_at(at);
        [start, more, end].concat().concat()
    };
    let with = |more: &[&[u8]]| with_at(at, &all, more);
    let mut versions = Vec::new();
    let mut add = |id, words, content: Vec<u8>| {
        if content != before[..] {
            versions.push(Version { id, words, content });
        }
    };
    if let Some((sign, is_used)) = comment(&all) {
        let kept = format!("{sign} kept by somebody else\n");
        add(
            "comment",
            match is_used {
                true => ONE_MORE_COMMENT,
                false => A_COMMENT,
            },
            with(&[kept.as_bytes(), b"\n"]),
        );
        // A comment right above its own entry is about that entry, and not its own all the same.
        let above = format!("{sign} noted by somebody else\n");
        let has_comments = managed.own().any(|line| line.starts_with(sign.as_bytes()));
        let own = all
            .iter()
            .position(is_own)
            .filter(|_| is_used && !has_comments);
        if let Some(own) = own {
            let content = with_at(own, &all, &[above.as_bytes()]);
            add("above", COMMENT_ABOVE, content);
        }
        let latin = [sign.as_bytes(), b" caf\xe9\n"].concat();
        add(
            "latin",
            match is_used {
                true => IN_LATIN_1,
                false => "where its file has a comment in Latin-1",
            },
            with(&[&latin]),
        );
    }
    let near = neighbours(&managed, &all);
    if !near.is_empty() {
        let near: Vec<&[u8]> = near.iter().map(Vec::as_slice).collect();
        add(
            "neighbours",
            "where its file has entries whose keys begin or end like its own",
            with(&near),
        );
    }
    if let Some(text) = before.strip_suffix(b"\n") {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        add("open", WITHOUT_END, text.to_vec());
    }
    if !before.contains(&b'\r') {
        let crlf: Vec<Vec<u8>> = all
            .iter()
            .map(|line| match line.strip_suffix(b"\n") {
                Some(text) => [text, b"\r\n"].concat(),
                None => line.to_vec(),
            })
            .collect();
        add(
            "crlf",
            "where the lines of its file end with CR and LF",
            crlf.concat(),
        );
    }
    let new = lines(after);
    let own: Vec<&[u8]> = new
        .iter()
        .filter(|line| managed.holds(unended(line)))
        .copied()
        .collect();
    if let Some(last) = own.last()
        && last.ends_with(b"\n")
        && let Some(end) = new.iter().rposition(|line| line == last)
    {
        let twice = [&new[..=end], &own, &new[end + 1..]].concat();
        add("twice", OWN_ENTRY_TWICE, twice.concat());
    }
    versions
}

/// A file that an item makes, with nothing in it but what somebody else may have written.
fn filled(made: &Bytes) -> Vec<Version> {
    let managed = Managed::of([(&b""[..], &made[..])]);
    let all = lines(made);
    let comment = comment(&all).map(|(sign, _)| format!("{sign} kept by somebody else\n\n"));
    let mut content = comment.unwrap_or_default().into_bytes();
    content.extend(neighbours(&managed, &all).concat());
    let open = content.strip_suffix(b"\n").map(|open| Version {
        id: "filled-open",
        words: "where its file is there, and its last line has no end",
        content: open.to_vec(),
    });
    let filled = Version {
        id: "filled",
        words: "where its file is there, with entries of somebody else",
        content,
    };
    std::iter::once(filled).chain(open).collect()
}

/// Is it a line before which nothing may stand?
fn begins_a_file(line: &[u8]) -> bool {
    [&b"---"[..], b"#!", b"<?", b"%YAML"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// How a comment in a file begins, and whether it has such: as those that it has. A table has none.
fn comment(lines: &[&[u8]]) -> Option<(&'static str, bool)> {
    const SIGNS: [&str; 4] = ["#", ";", "//", "--"];
    let begins = |sign: &&str| {
        let mut all = lines.iter().filter(|line| !begins_a_file(line));
        all.any(|line| line.trim_ascii_start().starts_with(sign.as_bytes()))
    };
    let used = SIGNS.into_iter().find(begins).map(|sign| (sign, true));
    used.or_else(|| (!is_table(lines)).then_some(("#", false)))
}

/// Has each line the same number of separators, as in `/etc/passwd` or a CSV file?
fn is_table(lines: &[&[u8]]) -> bool {
    let is_of = |(separator, least): (u8, usize)| {
        let count = |line: &&[u8]| line.iter().filter(|byte| **byte == separator).count();
        let counts: Vec<usize> = lines.iter().map(count).collect();
        counts.first().is_some_and(|first| *first >= least)
            && counts.windows(2).all(|two| two[0] == two[1])
    };
    [(b',', 1), (b'\t', 1), (b'|', 1), (b';', 1), (b':', 2)]
        .into_iter()
        .any(is_of)
}

/// Lines like the first of the item's own, where each word begins or ends like there: nobody says which one is the key.
fn neighbours(managed: &Managed<'_>, known: &[&[u8]]) -> Vec<Vec<u8>> {
    let has_word = |line: &&[u8]| line.iter().any(u8::is_ascii_alphanumeric);
    let Some(own) = managed.own().find(has_word) else {
        return Vec::new();
    };
    let mut near: Vec<Vec<u8>> = [false, true]
        .into_iter()
        .map(|leads| [like(own, leads), b"\n".to_vec()].concat())
        .collect();
    near.retain(|line| !known.contains(&&line[..]));
    near
}

/// A line with a letter more before or behind each word, or a digit more where the word is a number.
fn like(line: &[u8], leads: bool) -> Vec<u8> {
    let is_of_word =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte) || *byte >= 0x80;
    let mut like = Vec::new();
    for part in line.chunk_by(|one, next| is_of_word(one) == is_of_word(next)) {
        let is_number = part
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'.');
        let more = if is_number { b'1' } else { b'x' };
        let is_word = part.iter().any(u8::is_ascii_alphanumeric);
        if is_word && leads {
            like.push(more);
        }
        like.extend_from_slice(part);
        if is_word && !leads {
            like.push(more);
        }
    }
    like
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(before: &str, after: &str) -> Vec<&'static str> {
        let versions = versions(&before.into(), &after.into()).into_iter();
        versions.map(|version| version.id).collect()
    }

    #[test]
    fn an_edited_file_has_each_version() {
        let before = "# first\nalpha = 1\n";
        let all = ["comment", "latin", "neighbours", "open", "crlf", "twice"];
        assert_eq!(ids(before, "# first\nalpha = 1\nbeta = 2\n"), all);
        let all = [
            "comment",
            "above",
            "latin",
            "neighbours",
            "open",
            "crlf",
            "twice",
        ];
        assert_eq!(ids(before, "# first\nalpha = 2\n"), all);
        // Nothing stays, so nothing is known to be somebody else's.
        assert!(ids("old\n", "new\n").is_empty());
    }

    #[test]
    fn a_file_that_is_made_is_tried_with_others_entries_alone() {
        let versions = filled(&"own = 1\n".into());
        let all = versions
            .iter()
            .map(|one| String::from_utf8_lossy(&one.content));
        let text = "# kept by somebody else\n\nownx = 11\nxown = 11\n";
        assert_eq!(all.collect::<Vec<_>>(), [text, text.trim_end()]);
    }

    #[test]
    fn sections_are_lines_and_lists_are_documents() {
        for text in ["[main]\nx = 1\n", "\n [a b]\nx\n", "# [\n", "x\n"] {
            assert!(is_lines(text.as_bytes()), "{text}");
        }
        for text in [
            "[1]\n",
            "[\n1\n]\n",
            "[\"a\"]\n",
            "{}\n",
            "<a/>\n",
            "",
            "\n",
            "x\0\n",
        ] {
            assert!(!is_lines(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_table_has_no_comments() {
        let before = "root:x:0\nuser:x:1\n";
        let ids = ids(before, "root:x:0\nuser:x:1\nnew:x:2\n");
        assert_eq!(ids, ["neighbours", "open", "crlf", "twice"]);
    }

    #[test]
    fn nothing_stands_before_what_begins_a_file() {
        let all = versions(&"---\nx: 1\nown: 1\n".into(), &"---\nx: 1\nown: 2\n".into());
        assert_eq!(
            all[0].content,
            b"---\n# kept by somebody else\n\nx: 1\nown: 1\n"
        );
        assert!(all.iter().all(|one| one.content.starts_with(b"---")));
    }

    #[test]
    fn neighbours_stand_where_something_stays_and_have_other_keys() {
        let (before, after) = (
            "[a]\nown = old\n[b]\nx = 1\n",
            "[a]\nown = new 10.0.0.1\n[b]\nx = 1\n",
        );
        let all = versions(&before.into(), &after.into());
        let near = all.iter().find(|one| one.id == "neighbours").expect("one");
        let text = String::from_utf8_lossy(&near.content);
        assert!(
            text.starts_with("ownx = newx 10.0.0.11\nxown = xnew 110.0.0.1\n[a]\n"),
            "{text}"
        );
    }
}
